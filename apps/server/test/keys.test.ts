import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAuthentication, mayReadMetrics } from '../src/service/authentication.ts'
import { hashApiKey } from '../src/store/api-key.ts'
import { openDatabase } from '../src/store/database.ts'
import { createKeyStore } from '../src/store/keys.ts'
import { temporaryFolder } from './temporary.ts'

function open(folder = temporaryFolder()) {
  const clock = { now: 1_000_000 }
  const database = openDatabase(join(folder, 'data'))
  onTestFinished(() => database.close())
  const keys = createKeyStore(database, () => clock.now)
  const holds = (key: string) => keys.holder(hashApiKey(key))
  return { folder, database, keys, clock, holds }
}

describe('a stored key', () => {
  it('is long, random, and nowhere in the store', () => {
    const { keys, database } = open()
    const made = [keys.create({}), keys.create({})]
    expect(made[0]?.key).toMatch(/^sk-hg-[A-Za-z0-9]{40}$/)
    expect(made[0]?.key).not.toBe(made[1]?.key)
    const stored = database
      .prepare('SELECT * FROM keys')
      .all()
      .map((row) => Buffer.from(row['hash'] as Uint8Array).toString('hex') + JSON.stringify(row))
    expect(stored.join()).not.toContain(made[0]?.key)
    expect(keys.list()[0]?.prefix).toBe(`${made[0]?.key.slice(0, 10)}…`)
  })

  it('says who holds it, with what it may do', () => {
    const { keys, holds } = open()
    const may = { models: ['a', 'b*'], search: ['docs'], scopes: ['metrics'] }
    const { key, stored } = keys.create({ name: 'team', ...may })
    expect(holds(key)).toEqual({ id: stored.id, name: 'team', ...may })
    expect(holds(`${key}x`)).toBeUndefined()
    expect(keys.list()).toEqual([stored])
  })

  it('ends when it expires, although it was used before', () => {
    const { keys, clock, holds } = open()
    const { key } = keys.create({ expiresAt: clock.now + 1_000 })
    expect(holds(key)).toBeDefined()
    clock.now += 1_000
    expect(holds(key)).toBeUndefined()
  })

  it('ends at once when it is revoked, by id or by name, and stays listed', () => {
    const { keys, holds } = open()
    const [first, second] = [keys.create({ name: 'one' }), keys.create({ name: 'two' })]
    expect(holds(first.key)).toBeDefined()
    expect(keys.revoke(first.stored.id)?.id).toBe(first.stored.id)
    expect(keys.revoke('two')?.id).toBe(second.stored.id)
    expect([holds(first.key), holds(second.key)]).toEqual([undefined, undefined])
    expect(keys.list().map(({ revokedAt }) => revokedAt)).toEqual([1_000_000, 1_000_000])
  })

  it('is not revoked by a name that two keys have, or none', () => {
    const { keys } = open()
    keys.create({ name: 'twin' })
    keys.create({ name: 'twin' })
    expect(keys.revoke('twin')).toBeUndefined()
    expect(keys.revoke('nobody')).toBeUndefined()
  })

  it('ends within a second when another process revokes it', () => {
    const here = open()
    const { key, stored } = here.keys.create({})
    expect(here.holds(key)).toBeDefined()
    const there = open(here.folder)
    there.keys.revoke(stored.id)
    here.clock.now += 1_000
    expect(here.holds(key)).toBeUndefined()
  })
})

describe('authentication', () => {
  it('knows stored and configured keys, and nothing else', () => {
    const { keys } = open()
    const { key, stored } = keys.create({})
    const authenticate = createAuthentication([{ key: 'sk-local', name: 'laptop', models: ['a*'] }, { key: 'sk-plain' }], keys)
    expect(authenticate(key)?.id).toBe(stored.id)
    expect(authenticate('sk-local')).toEqual({ id: expect.any(String), name: 'laptop', models: ['a*'] })
    for (const wrong of ['', 'sk-loca', 'sk-local ', `${key} `, 'x'.repeat(100_000), '\u{1F511}'])
      expect(authenticate(wrong)).toBeUndefined()
  })

  it('takes a configured key without restrictions for the operator’s own, which may do everything', () => {
    const { keys } = open()
    const authenticate = createAuthentication([{ key: 'sk-plain' }, { key: 'sk-search', search: ['docs'] }], keys)
    expect(authenticate('sk-plain')).toMatchObject({ models: ['*'], search: ['*'], scopes: ['metrics'] })
    expect(authenticate('sk-search')).toEqual({ id: expect.any(String), search: ['docs'] })
    expect(['sk-plain', 'sk-search', keys.create({}).key].map((key) => mayReadMetrics(authenticate(key) ?? { id: '' }))).toEqual([
      true,
      false,
      false,
    ])
  })

  it('gives a configured key an id of its own that does not hold the key, whatever its place in the list', () => {
    const { keys } = open()
    const [one, other] = [{ key: 'sk-one' }, { key: 'sk-other' }]
    const id = createAuthentication([one, other], keys)('sk-one')?.id
    expect(createAuthentication([other, one], keys)('sk-one')?.id).toBe(id)
    expect(id).not.toBe(createAuthentication([other], keys)('sk-other')?.id)
    expect(id).not.toContain('sk-one')
  })
})

/** Takes the keys out of a store, as damage of the file would. */
function damage(folder: string): void {
  const other = new DatabaseSync(join(folder, 'data/headgate.db'))
  other.exec('DROP TABLE keys')
  other.close()
}

describe('a store that can not be read', () => {
  it('lets keys go on that it has verified, and those of the configuration; of others it says that it does not know', () => {
    const { folder, keys, clock } = open()
    const [used, unused] = [keys.create({}), keys.create({})]
    const authenticate = createAuthentication([{ key: 'sk-local' }], keys)
    expect(authenticate(used.key)?.id).toBe(used.stored.id)
    damage(folder)
    clock.now += 1_000
    expect(authenticate(used.key)?.id).toBe(used.stored.id)
    expect(authenticate('sk-local')).toBeDefined()
    const unknown = { kind: 'internal', status: 500, message: expect.stringMatching(/^The store can not be read, so that this key/) }
    expect(() => authenticate(unused.key)).toThrow(expect.objectContaining(unknown))
  })

  it('still says of a key that it could not hold that it is unknown', () => {
    const { folder, keys, clock } = open()
    damage(folder)
    clock.now += 1_000
    const authenticate = createAuthentication([], keys)
    for (const key of ['sk-nobody', 'sk-hg-short', `sk-xx-${'a'.repeat(40)}`]) expect(authenticate(key)).toBeUndefined()
  })

  it('does not bring back what was revoked before', () => {
    const here = open()
    const { key, stored } = here.keys.create({})
    expect(here.holds(key)).toBeDefined()
    open(here.folder).keys.revoke(stored.id)
    here.clock.now += 1_000
    expect(here.holds(key)).toBeUndefined()
    damage(here.folder)
    here.clock.now += 1_000
    expect(here.holds(key)).toBeUndefined()
  })
})

describe('the data directory', () => {
  it('and the store can be read by their owner only', () => {
    const { folder, keys } = open()
    keys.create({})
    const mode = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8)
    expect([mode('data'), mode('data/headgate.db'), mode('data/headgate.db-wal')]).toEqual(['700', '600', '600'])
  })

  it('of a newer headgate is refused', () => {
    const { folder, database } = open()
    database.exec('PRAGMA user_version = 99')
    expect(() => openDatabase(join(folder, 'data'))).toThrow('was written by a newer headgate')
  })

  it('that can not be had is refused, with what to do', () => {
    const folder = temporaryFolder({ file: '' })
    expect(() => openDatabase(join(folder, 'file/data'))).toThrow('Choose another folder with --data-dir or HEADGATE_DATA_DIR')
  })
})
