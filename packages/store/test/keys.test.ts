import { describe, expect, it } from 'vitest'
import { hashApiKey } from '../src/keys/api-key.ts'
import { changesOf } from '../src/keys/changes.ts'
import { createKey, keyByHash, listKeys, revokeKey } from '../src/keys/keys.ts'
import { createListStore } from '../src/lists/model-lists.ts'
import { stores } from './support/stores.ts'

describe.each(stores())('keys in $name', ({ open, openTwice }) => {
  it('are found by their hash, with what they may do, and are nowhere themselves', async () => {
    const connection = await open()
    const may = { models: ['a', 'b*'], search: ['docs'], scopes: ['metrics'] }
    const { key, stored } = await createKey(connection, { name: 'team', expiresAt: 2_000, ...may }, 1_000)
    expect(key).toMatch(/^sk-hg-[A-Za-z0-9]{40}$/)
    expect(stored).toEqual({
      id: expect.stringMatching(/^key_/),
      prefix: `${key.slice(0, 10)}…`,
      name: 'team',
      createdAt: 1_000,
      expiresAt: 2_000,
      ...may,
    })
    expect(await keyByHash(connection, hashApiKey(key))).toEqual(stored)
    expect(await keyByHash(connection, hashApiKey(`${key}x`))).toBeUndefined()
    const rows = await connection.db.selectFrom('keys').selectAll().execute()
    expect(rows.map((row) => Object.values(row).map(String)).join()).not.toContain(key)
  })

  it('have limits where they are made with some, of numbers that are whole and from 1 to 2^31', async () => {
    const connection = await open()
    const limits = { requestsPerMinute: 60, tokensPerMinute: 2 ** 31, concurrent: 1 }
    const { key, stored } = await createKey(connection, { limits }, 1)
    const some = await createKey(connection, { limits: { tokensPerMinute: 5 } }, 2)
    const none = await createKey(connection, { limits: {} }, 3)
    expect([stored.limits, some.stored.limits, 'limits' in none.stored]).toEqual([limits, { tokensPerMinute: 5 }, false])
    expect(await keyByHash(connection, hashApiKey(key))).toEqual(stored)
    expect(await listKeys(connection)).toEqual([stored, some.stored, none.stored])
    for (const wrong of [0, -1, 1.5, 2 ** 31 + 1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(createKey(connection, { limits: { concurrent: wrong } })).rejects.toThrow('concurrent has to be a whole number')
    expect(await listKeys(connection)).toHaveLength(3)
  })

  it('are listed in the order of their making, and revoked by id or by a name that only one has', async () => {
    const connection = await open()
    const made = [
      await createKey(connection, { name: 'one' }, 1),
      await createKey(connection, { name: 'twin' }, 2),
      await createKey(connection, { name: 'twin' }, 3),
    ]
    expect(await listKeys(connection)).toEqual(made.map(({ stored }) => stored))
    expect(await revokeKey(connection, 'twin', 9)).toBeUndefined()
    expect(await revokeKey(connection, 'nobody', 9)).toBeUndefined()
    expect(await revokeKey(connection, 'one', 9)).toEqual({ ...made[0]?.stored, revokedAt: 9 })
    expect(await revokeKey(connection, made[2]?.stored.id ?? '', 10)).toMatchObject({ revokedAt: 10 })
    expect(await revokeKey(connection, 'one', 11)).toMatchObject({ revokedAt: 9 })
    expect((await listKeys(connection)).map(({ revokedAt }) => revokedAt)).toEqual([9, undefined, 10])
  })

  it('that bear the id of another one do not keep it from being revoked', async () => {
    const connection = await open()
    const { stored } = await createKey(connection, {}, 1)
    await createKey(connection, { name: stored.id }, 2)
    expect(await revokeKey(connection, stored.id)).toMatchObject({ id: stored.id })
  })

  it('tell other processes when they change, and when they do not', async () => {
    const [here, there] = openTwice ? await openTwice() : await open().then((one) => [one, one] as const)
    const versions = [await changesOf(there, 'keys')]
    const { stored } = await createKey(here, {})
    versions.push(await changesOf(there, 'keys'))
    await revokeKey(here, stored.id)
    await revokeKey(here, stored.id)
    await revokeKey(here, 'nobody')
    versions.push(await changesOf(there, 'keys'))
    expect(versions).toEqual([0, 1, 2])
  })
})

describe.each(stores())('lists of models in $name', ({ open }) => {
  it('are kept until a newer one comes', async () => {
    const lists = createListStore(await open())
    expect(await lists.read('mine')).toBeUndefined()
    await lists.write('mine', [{ id: 'a' }])
    await lists.write('mine', [{ id: 'b\0' }])
    expect(await lists.read('mine')).toEqual([{ id: 'b\0' }])
  })
})
