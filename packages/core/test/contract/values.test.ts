import { describe, expect, it } from 'vitest'
import {
  domains,
  excerpt,
  field,
  getQuery,
  inexact,
  monthFirst,
  postJson,
  readItems,
  valueIn,
} from '../../src/contract/values.ts'

describe('What adapters of search backends share', () => {
  it('leaves undefined parameters out of a request', () => {
    expect(getQuery('/search', { q: 'a&b c', n: 0, none: undefined }).url).toBe('/search?q=a%26b+c&n=0')
    expect(postJson('/search', { q: 'x', none: undefined }).body).toEqual({ json: { q: 'x', none: undefined } })
  })

  it('reads what lies deep in an answer, and nothing of prototypes', () => {
    expect(field({ a: { b: 1 } }, 'a', 'b')).toBe(1)
    expect(field({ a: null }, 'a', 'b')).toBeUndefined()
    expect(field({}, 'constructor', 'name')).toBeUndefined()
    expect(field('text', 'length')).toBeUndefined()
  })

  it('leaves out of a result what is of another type, and a result without a link altogether', () => {
    const list = [{ url: 'https://example.com', title: 7 }, { url: 7, title: 'A' }, 'text', null]
    expect(readItems(list, ({ url, title }) => ({ link: url, title, image: { width: '640', height: 480 } }))).toEqual([
      { link: 'https://example.com', image: { height: 480 } },
    ])
    expect(readItems({ of: 'another kind' }, () => ({ link: 'https://example.com' }))).toEqual([])
  })

  it('keeps to hosts, or leaves hosts out, but never a host of which only a part is unwanted', () => {
    const docs = { host: 'example.com', path: '/docs' }
    const whole = { host: 'example.org', path: '' }
    expect(domains(undefined)).toEqual({})
    expect(domains({ include: [docs, { ...docs, path: '/api' }], exclude: [whole] })).toEqual({
      include: ['example.com'],
    })
    expect(domains({ include: [], exclude: [docs, whole] })).toEqual({ exclude: ['example.org'] })
    expect(domains({ include: [], exclude: [docs] })).toEqual({})
  })

  it('cuts a text at the end of a word, and one without words in its middle', () => {
    expect(excerpt('  short\n text ')).toBe('short text')
    expect(excerpt(`${'a'.repeat(300)} ${'b'.repeat(300)}`)).toBe(`${'a'.repeat(300)} …`)
    expect(excerpt('😀'.repeat(400))?.isWellFormed()).toBe(true)
    expect(excerpt('字'.repeat(400))).toBe(`${'字'.repeat(320)} …`)
    expect(excerpt(7)).toBeUndefined()
  })

  it.each([
    ['de', { value: 'de', exact: true }],
    ['DE-at', { value: 'de', exact: false }],
    ['ja', { value: 'jp', exact: true }],
    ['ja-JP', { value: 'jp', exact: false }],
    ['pt', { value: 'pt-br', exact: false }],
    ['sw', { value: undefined, exact: false }],
    ['constructor', { value: undefined, exact: false }],
    [undefined, { value: undefined, exact: true }],
  ])('finds the language %s among those of a vendor', (wanted, found) => {
    expect(valueIn('de en jp pt-br pt-pt', wanted, { ja: 'jp' })).toEqual(found)
  })

  it('names what a vendor can only come close to', () => {
    expect(inexact({ gl: valueIn('de', 'de'), lr: valueIn('de', 'de-AT') })).toEqual(['lr'])
  })

  it('writes a date with its month first', () => {
    expect(monthFirst('2026-01-31')).toBe('01/31/2026')
  })
})
