import type { Principal } from '@headgate/core'
import { hashApiKey } from '@headgate/store'
import { describe, expect, it } from 'vitest'
import { createAuthentication, mayReadMetrics } from '../src/service/authentication.ts'

const STORED = `sk-hg-${'a'.repeat(40)}`

/** All keys belong to the one organisation. */
const owners = { organisation: 'default' }

/** A store that holds one key. */
function stored(): { holder: (hash: string) => Principal | undefined | Promise<Principal | undefined> } {
  const own = hashApiKey(STORED)
  return { holder: async (hash) => (hash === own ? { id: 'key_stored' } : undefined) }
}

describe('authentication', () => {
  it('knows stored and configured keys, and nothing else', async () => {
    const authenticate = createAuthentication([{ key: 'sk-local', name: 'laptop', models: ['a*'] }, { key: 'sk-plain' }], stored())
    expect(await authenticate(STORED)).toEqual({ id: 'key_stored', owners })
    expect(authenticate('sk-local')).toEqual({ id: expect.any(String), name: 'laptop', models: ['a*'], owners })
    for (const wrong of ['', 'sk-loca', 'sk-local ', `${STORED} `, `sk-hg-${'b'.repeat(40)}`, 'x'.repeat(100_000), '\u{1F511}'])
      expect(await authenticate(wrong)).toBeUndefined()
  })

  it('takes a configured key without restrictions for the operator’s own, which may do everything', async () => {
    const authenticate = createAuthentication([{ key: 'sk-plain' }, { key: 'sk-search', search: ['docs'] }], stored())
    expect(authenticate('sk-plain')).toMatchObject({ models: ['*'], search: ['*'], scopes: ['metrics'] })
    expect(authenticate('sk-search')).toEqual({ id: expect.any(String), search: ['docs'], owners })
    const may = async (key: string) => mayReadMetrics((await authenticate(key)) ?? { id: '' })
    expect(await Promise.all(['sk-plain', 'sk-search', STORED].map(may))).toEqual([true, false, false])
  })

  it('tells of a configured key how much it may ask, and to which project it belongs', () => {
    const authenticate = createAuthentication([{ key: 'sk-a', project: 'web', limits: { concurrent: 4 } }], stored())
    expect(authenticate('sk-a')).toMatchObject({ owners: { project: 'web', organisation: 'default' }, limits: { concurrent: 4 } })
  })

  it('gives a configured key an id of its own that does not hold the key, whatever its place in the list', async () => {
    const [one, other] = [{ key: 'sk-one' }, { key: 'sk-other' }]
    const idOf = async (keys: { key: string }[], key: string) => (await createAuthentication(keys, stored())(key))?.id
    const id = await idOf([one, other], 'sk-one')
    expect(await idOf([other, one], 'sk-one')).toBe(id)
    expect(id).not.toBe(await idOf([other], 'sk-other'))
    expect(id).not.toContain('sk-one')
  })

  it('asks the store for nothing that it could not hold, or that is configured, whatever state it is in', async () => {
    const damaged = {
      holder: () => {
        throw new Error('The store is asked.')
      },
    }
    const authenticate = createAuthentication([{ key: 'sk-local' }], damaged)
    expect(authenticate('sk-local')).toBeDefined()
    for (const key of ['sk-nobody', 'sk-hg-short', `sk-xx-${'a'.repeat(40)}`]) expect(authenticate(key)).toBeUndefined()
    expect(() => authenticate(STORED)).toThrow('The store is asked.')
  })
})
