import type { Principal } from '@headgate/gateway'
import { describe, expect, it, vi } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import {
  authenticate as authenticateBy,
  type ConfiguredKey,
  configuredKeyId,
  configuredPrincipals,
  mayReadMetrics,
} from '../src/keys/authenticate.ts'

/** Two keys with a correct checksum. */
const [STORED, UNKNOWN] = [`hg_p_${'a'.repeat(30)}4ZDwz9`, `hg_p_${'b'.repeat(30)}3BbJjs`]

/** Those of the configuration are a project of their own. */
const owners = { project: 'config', organization: 'org_default' }
const own = { environment: 'production', owners }
const HELD: Principal = {
  id: 'key_stored',
  environment: 'staging',
  owners: { project: 'prj_a', organization: 'org_a' },
}

/** A store that holds one key. */
function stored(): { findByHash: (hash: string) => Principal | undefined | Promise<Principal | undefined> } {
  const known = hashApiKey(STORED)
  return { findByHash: async (hash) => (hash === known ? HELD : undefined) }
}

const createAuthentication = (configured: readonly ConfiguredKey[], keys: ReturnType<typeof stored>) =>
  authenticateBy({ keys }, configured)

describe('authentication', () => {
  it('knows stored and configured keys, and nothing else', async () => {
    const authenticate = createAuthentication(
      [{ key: 'sk-local', name: 'laptop', models: ['a*'] }, { key: 'sk-plain' }],
      stored(),
    )
    expect(await authenticate(STORED)).toBe(HELD)
    expect(authenticate('sk-local')).toEqual({ id: expect.any(String), name: 'laptop', models: ['a*'], ...own })
    for (const wrong of [
      '',
      'sk-loca',
      'sk-local ',
      UNKNOWN,
      `sk-hg-${'b'.repeat(40)}`,
      'x'.repeat(100_000),
      '\u{1F511}',
    ])
      expect(await authenticate(wrong)).toBeUndefined()
  })

  it('takes a configured key without restrictions for the operator’s own, which may do everything', async () => {
    const authenticate = createAuthentication([{ key: 'sk-plain' }, { key: 'sk-search', search: ['docs'] }], stored())
    expect(authenticate('sk-plain')).toMatchObject({ models: ['*'], search: ['*'], scopes: ['metrics'] })
    expect(authenticate('sk-search')).toEqual({ id: expect.any(String), search: ['docs'], ...own })
    const may = async (key: string) => mayReadMetrics((await authenticate(key)) ?? { id: '' })
    expect(await Promise.all(['sk-plain', 'sk-search', STORED].map(may))).toEqual([true, false, false])
  })

  it('tells of a configured key how much it may ask, and to which project it belongs', () => {
    const authenticate = createAuthentication([{ key: 'sk-a', project: 'web', limits: { concurrent: 4 } }], stored())
    expect(authenticate('sk-a')).toMatchObject({
      owners: { project: 'web', organization: 'org_default' },
      limits: { concurrent: 4 },
    })
  })

  it('says of a key that was copied wrong that it has a typo, without asking the store', () => {
    const asked = vi.fn()
    const authenticate = createAuthentication([{ key: 'hg_d_mine' }], { findByHash: asked })
    expect(() => authenticate(`hg_p_${'0'.repeat(36)}`)).toThrow(
      expect.objectContaining({
        kind: 'bad-key',
        status: 401,
        message: 'The key has a typo: its checksum is wrong. Copy the key again from its source.',
      }),
    )
    expect(() => authenticate('hg_p_0000')).toThrow('it has 9 characters instead of 41')
    expect(authenticate('hg_d_mine')).toMatchObject({ owners })
    expect(asked).not.toHaveBeenCalled()
  })

  it('names the keys of the configuration, with their projects, to whoever tells of usage', () => {
    const named = configuredPrincipals([{ key: 'sk-a', name: 'ci', project: 'web' }, { key: 'sk-b' }])
    expect(named).toEqual([
      { id: configuredKeyId('sk-a'), name: 'ci', project: 'web' },
      { id: configuredKeyId('sk-b') },
    ])
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
      findByHash: () => {
        throw new Error('The store is asked.')
      },
    }
    const authenticate = createAuthentication([{ key: 'sk-local' }], damaged)
    expect(authenticate('sk-local')).toBeDefined()
    for (const key of ['sk-nobody', 'sk-hg-short', `sk-xx-${'a'.repeat(40)}`]) expect(authenticate(key)).toBeUndefined()
    expect(() => authenticate(STORED)).toThrow('The store is asked.')
  })
})
