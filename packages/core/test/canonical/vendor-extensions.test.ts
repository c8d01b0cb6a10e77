import { describe, expect, it } from 'vitest'
import type { Node } from '../../src/canonical/block.ts'
import type { Json } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import {
  extensionsOf,
  original,
  unknownFields,
  wholeExtensions,
  writeExtensions,
} from '../../src/canonical/vendor-extensions.ts'

const KNOWN: ReadonlySet<string> = new Set(['known', 'inner'])

/** What comes back of the fields of a node when it is written to its own format, into `out`. */
function restored(fields: Json | undefined, out: Json = {}): Json {
  writeExtensions({ extensions: { format: 'own', fields: fields ?? {} } }, 'own', out, [])
  return out
}

function lost(node: Node): string[] {
  const losses: Loss[] = []
  writeExtensions(node, 'other', {}, losses)
  return losses.map(({ kind, path }) => `${kind} ${path}`)
}

describe('What only one format knows of a node', () => {
  it('is every field that is not known and not null', () => {
    expect(unknownFields({ known: 1, extra: 2, none: null, zero: 0, empty: '' }, KNOWN)).toEqual({
      extra: 2,
      zero: 0,
      empty: '',
    })
    expect(unknownFields({ known: 1, none: null }, KNOWN)).toBeUndefined()
  })

  it('comes back where it was, also within objects of the node', () => {
    const fields = unknownFields({ size: 3 }, KNOWN, unknownFields({ extra: 1 }, KNOWN), 'inner.')
    expect(fields).toEqual({ extra: 1, 'inner.size': 3 })
    expect(restored(fields, { inner: { url: 'u' } })).toEqual({ extra: 1, inner: { url: 'u', size: 3 } })
    expect(restored(fields)).toEqual({ extra: 1, inner: { size: 3 } })
    expect(restored(fields, { inner: null })).toEqual({ extra: 1, inner: { size: 3 } })
  })

  it.each(['a.b', '.', 'a..b', 'a[0]', "['x']", "it's", 'a.__proto__.b', 'constructor.prototype.c', '', '__proto__'])(
    'comes back under its key, whatever that is: %j',
    (key) => {
      const body = JSON.parse(
        `{"inner":{${JSON.stringify(key)}:{"polluted":1}},${JSON.stringify(key)}:{"polluted":2}}`,
      ) as Json
      const inner = unknownFields(body['inner'] as Json, KNOWN, unknownFields(body, KNOWN), 'inner.')
      expect(JSON.parse(JSON.stringify(restored(inner, { inner: {} })))).toEqual(body)
      expect({}).not.toHaveProperty('polluted')
    },
  )

  it('joins what both sides have, and changes no object that it was given', () => {
    const shared = Object.freeze({ user_id: 'u' })
    const out = restored({ metadata: { extra: 1 }, 'metadata.more': 2 }, { metadata: shared })
    expect(out).toEqual({ metadata: { user_id: 'u', extra: 1, more: 2 } })
    expect(shared).toEqual({ user_id: 'u' })
  })

  it('is a loss for every other format, named by its path', () => {
    expect(lost({ at: 'messages[0]', extensions: { format: 'own', fields: { extra: 1, 'inner.size': 3 } } })).toEqual([
      'dropped messages[0].extra',
      'dropped messages[0].inner.size',
    ])
    expect(lost({})).toEqual([])
  })

  it('is refused by other formats where the request would mean something else without it', () => {
    const extensions = extensionsOf('own', { container: {}, extra: 1 }, ['container', 'servers'])
    expect(extensions).toEqual({ format: 'own', fields: { container: {}, extra: 1 }, essential: ['container'] })
    expect(() => lost({ at: 'tools[0]', ...(extensions && { extensions }) })).toThrow(
      expect.objectContaining({ kind: 'invalid-request', param: 'tools[0].container' }),
    )
    expect(extensionsOf('own', { extra: 1 }, ['container'])).toEqual({ format: 'own', fields: { extra: 1 } })
    expect(extensionsOf('own', undefined, ['container'])).toBeUndefined()
  })

  it('may be the whole block, of which others are told in other words', () => {
    const block = { type: 'search_result', title: 'T' }
    const node = { at: 'content[0]', extensions: wholeExtensions('own', block) }
    expect([original(node, 'own'), original(node, 'other'), original({}, 'own')]).toEqual([block, undefined, undefined])
    expect(lost(node)).toEqual(['dropped content[0].search_result'])
    expect(() => lost({ extensions: wholeExtensions('own', block, true) })).toThrow(/search_result is not supported by/)
  })
})
