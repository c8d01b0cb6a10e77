import { expect, it } from 'vitest'
import { listBudgets } from '../src/budgets/defined.ts'
import { transact } from '../src/database/transaction.ts'
import { hashApiKey, isStorable } from '../src/keys/api-key.ts'
import { changeKey, revokeKey, revokeKeyWithin, rotateKey } from '../src/keys/change.ts'
import { changesOf } from '../src/keys/changes.ts'
import { createKey, keyByHash, keyById, listKeys } from '../src/keys/keys.ts'
import { configurePrincipals } from '../src/keys/principals.ts'
import { createListStore } from '../src/lists/model-lists.ts'
import { createKeyWithin, type StoreConnection } from '../src/sql.ts'
import { writeRows } from '../src/usage/write.ts'
import { ledgerRow, START } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'

const DAY = 86_400_000

/** Everything that a key can be told that it may do. */
const MAY = {
  models: ['a', 'b*'],
  search: ['docs'],
  scopes: ['metrics'],
  families: ['chat', 'search'],
  providers: ['mine'],
  policies: ['cheapest', 'priority'],
  labels: ['region=eu', 'region=ch', 'zdr=true'],
  addresses: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'],
  class: 'batch' as const,
  weight: 20,
}

const idOf = async (connection: StoreConnection, key: string): Promise<string | undefined> =>
  (await keyByHash(connection, hashApiKey(key)))?.facts.id

const principals = ({ db }: StoreConnection) => db.selectFrom('principals').selectAll().orderBy('id').execute()

describeStores(stores(), 'keys in $name', ({ open, openTwice }) => {
  it('are found by their hash, with what they may do and whose they are, and are nowhere themselves', async () => {
    const connection = await open()
    const own = {
      name: 'team',
      project: 'prj_web',
      environment: 'staging',
      createdBy: 'per_a',
      expiresAt: 2_000,
      ...MAY,
    }
    const { key, stored } = await createKey(connection, own, 1_000)
    expect([key.slice(0, 5), isStorable(key)]).toEqual(['hg_s_', true])
    const prefix = `${key.slice(0, 9)}…${key.slice(-4)}`
    const facts = { id: expect.stringMatching(/^key_/), createdAt: 1_000, version: 1, creator: 'left', ...own }
    expect(stored).toEqual({ ...facts, prefix, secrets: [{ prefix, createdAt: 1_000 }] })
    expect(await keyByHash(connection, hashApiKey(key))).toEqual({ facts, organization: 'org_default', endsAt: 2_000 })
    expect(await keyById(connection, stored.id)).toEqual(stored)
    expect(await keyByHash(connection, hashApiKey(`${key}x`))).toBeUndefined()
    for (const table of ['keys', 'key_secrets', 'principals'] as const) {
      const rows = await connection.db.selectFrom(table).selectAll().execute()
      expect(rows.map((row) => Object.values(row).map(String)).join()).not.toContain(key)
    }
  })

  it('are those of the default project in production where nothing else is said, and of the organization of their project', async () => {
    const connection = await open()
    const { key, stored } = await createKey(connection, {}, 1)
    expect(stored).toMatchObject({ project: 'prj_default', environment: 'production' })
    expect(key.slice(0, 5)).toBe('hg_p_')
    const project = { id: 'prj_b', organization: 'org_b', name: 'b', created_at: 1, version: 1 }
    await connection.db.insertInto('projects').values(project).execute()
    const other = await createKey(connection, { project: 'prj_b', environment: 'qa-eu' }, 2)
    expect(other.key.slice(0, 5)).toBe('hg_x_')
    expect(await keyByHash(connection, hashApiKey(other.key))).toMatchObject({ organization: 'org_b' })
  })

  it('are not made where a field is none, which is named', async () => {
    const connection = await open()
    const wrong = {
      addresses: [
        ['192.0.2.0/33'],
        ['192.0.2'],
        ['::1/129'],
        ['example.com'],
        ['::ffff:192.0.2.1'],
        ['fe80::1%eth0'],
        ['10.0.0.0/08'],
        [],
      ],
      environment: ['', 'Production', 'a b', 'x'.repeat(33), '-a'],
      families: [[''], [], ['x'.repeat(513)]],
      models: [['']],
      expiresAt: [Number.NaN, -1, 1.5],
      name: ['x'.repeat(201)],
    }
    for (const [param, values] of Object.entries(wrong))
      for (const value of values)
        await expect(createKey(connection, { [param]: value }), `${param} ${value}`).rejects.toMatchObject({
          kind: 'invalid-request',
          param,
        })
    for (const name of ['a\u202egnp.exe', 'a\u200bb', 'a\nb', 'a\ufeff'])
      await expect(createKey(connection, { name })).rejects.toMatchObject({ kind: 'invalid-request', param: 'name' })
    expect(await listKeys(connection)).toEqual([])
  })

  it('have limits where they are made with some, of numbers that are whole and from 1 to 2^31', async () => {
    const connection = await open()
    const limits = { requestsPerMinute: 60, tokensPerMinute: 2 ** 31, concurrent: 1 }
    const { key, stored } = await createKey(connection, { limits }, 1)
    const some = await createKey(connection, { limits: { tokensPerMinute: 5 } }, 2)
    const none = await createKey(connection, { limits: {} }, 3)
    expect([stored.limits, some.stored.limits, 'limits' in none.stored]).toEqual([
      limits,
      { tokensPerMinute: 5 },
      false,
    ])
    expect(await keyByHash(connection, hashApiKey(key))).toMatchObject({ facts: { limits } })
    expect(await listKeys(connection)).toEqual([stored, some.stored, none.stored])
    for (const wrong of [0, -1, 1.5, 2 ** 31 + 1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(createKey(connection, { limits: { concurrent: wrong } })).rejects.toThrow(
        '`concurrent` must be a whole number',
      )
    expect(await listKeys(connection)).toHaveLength(3)
  })

  it('are listed in the order of their making, of a project or a person alone, and revoked by id or by a name that only one has', async () => {
    const connection = await open()
    const made = [
      await createKey(connection, { name: 'one', project: 'prj_a', createdBy: 'per_a' }, 1),
      await createKey(connection, { name: 'twin', project: 'prj_a', createdBy: 'per_b' }, 2),
      await createKey(connection, { name: 'twin', createdBy: 'per_a' }, 3),
    ]
    const [one, two, three] = made.map(({ stored }) => stored)
    expect(await listKeys(connection)).toEqual([one, two, three])
    expect(await listKeys(connection, { project: 'prj_a' })).toEqual([one, two])
    expect(await listKeys(connection, { createdBy: 'per_a' })).toEqual([one, three])
    expect(await listKeys(connection, { project: 'prj_a', createdBy: 'per_b' })).toEqual([two])
    expect(await revokeKey(connection, 'twin', 9)).toBeUndefined()
    expect(await revokeKey(connection, 'nobody', 9)).toBeUndefined()
    expect(await revokeKey(connection, 'one', 9)).toEqual({ ...one, revokedAt: 9, version: 2 })
    expect(await revokeKey(connection, three?.id ?? '', 10)).toMatchObject({ revokedAt: 10 })
    expect(await revokeKey(connection, 'one', 11)).toMatchObject({ revokedAt: 9, version: 2 })
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
    await changeKey(here, stored.id, { models: ['a'] })
    versions.push(await changesOf(there, 'keys'))
    await rotateKey(here, stored.id, { overlapMs: 0 })
    versions.push(await changesOf(there, 'keys'))
    await revokeKey(here, stored.id)
    await revokeKey(here, stored.id)
    await revokeKey(here, 'nobody')
    versions.push(await changesOf(there, 'keys'))
    expect(versions).toEqual([0, 1, 2, 3, 4])
  })
})

describeStores(stores(), 'a key in $name that is changed', ({ open }) => {
  it('may do what is said, keeps what is not said, and forgets what is said to be nothing', async () => {
    const connection = await open()
    const { key, stored } = await createKey(connection, {
      name: 'one',
      limits: { concurrent: 4 },
      expiresAt: Date.now() + DAY,
      ...MAY,
    })
    const changed = await changeKey(connection, stored.id, {
      models: ['c'],
      families: null,
      limits: { requestsPerMinute: 5 },
      name: 'two',
    })
    const { families: _, ...rest } = stored
    expect(changed).toEqual({ ...rest, models: ['c'], limits: { requestsPerMinute: 5 }, name: 'two', version: 2 })
    const free = {
      models: null,
      search: null,
      scopes: null,
      providers: null,
      policies: null,
      labels: null,
      class: null,
      weight: null,
      addresses: null,
      limits: null,
      expiresAt: null,
      name: null,
    }
    expect(await changeKey(connection, stored.id, free)).toEqual({
      id: stored.id,
      project: 'prj_default',
      environment: 'production',
      prefix: stored.prefix,
      secrets: stored.secrets,
      createdAt: stored.createdAt,
      version: 3,
    })
    expect(await idOf(connection, key)).toBe(stored.id)
    expect(await changeKey(connection, 'key_none', { name: 'x' })).toBeUndefined()
  })

  it('is changed by one of two who read the same version', async () => {
    const connection = await open()
    const { stored } = await createKey(connection, {})
    const both = await Promise.allSettled([
      changeKey(connection, stored.id, { name: 'mine' }, { version: 1 }),
      changeKey(connection, stored.id, { name: 'theirs' }, { version: 1 }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = both.find((one) => one.status === 'rejected')
    expect(lost?.reason).toMatchObject({ kind: 'conflict', status: 412 })
    const now = await keyById(connection, stored.id)
    expect([now?.version, now?.name]).toEqual([2, both[0].status === 'fulfilled' ? 'mine' : 'theirs'])
  })

  it('stays as it was where the change is none, or comes too late', async () => {
    const connection = await open()
    const { stored } = await createKey(connection, {})
    const wrong = { addresses: 'here', policies: 'dearest', labels: 'region' }
    for (const [param, entry] of Object.entries(wrong))
      await expect(changeKey(connection, stored.id, { [param]: [entry] })).rejects.toMatchObject({
        param,
        message: expect.stringContaining(JSON.stringify(entry)),
      })
    for (const weight of [0, 1.5, 101])
      await expect(changeKey(connection, stored.id, { weight })).rejects.toMatchObject({ param: 'weight' })
    await expect(changeKey(connection, stored.id, { limits: { concurrent: 0 } })).rejects.toMatchObject({
      kind: 'invalid-request',
    })
    await expect(rotateKey(connection, stored.id, { overlapMs: 1, version: 2 })).rejects.toMatchObject({ status: 412 })
    expect(await keyById(connection, stored.id)).toEqual(stored)
    await revokeKey(connection, stored.id)
    await expect(changeKey(connection, stored.id, { name: 'x' })).rejects.toMatchObject({
      kind: 'conflict',
      status: 409,
    })
    await expect(rotateKey(connection, stored.id, { overlapMs: 0 })).rejects.toMatchObject({ kind: 'conflict' })
  })

  it('is changed within the transaction of whoever asks, or not at all', async () => {
    const connection = await open()
    const failing = transact(connection, async (trx) => {
      await createKeyWithin(connection, trx, { name: 'gone' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect([await listKeys(connection), await principals(connection)]).toEqual([[], []])
    const { stored } = await transact(connection, (trx) =>
      createKeyWithin(connection, trx, { budgets: [{ limit: 5n, period: 'day' }] }),
    )
    expect(await listBudgets(connection, [stored.id])).toHaveLength(1)
    await transact(connection, (trx) => revokeKeyWithin(connection, trx, stored.id, { now: 7 }))
    expect(await keyById(connection, stored.id)).toMatchObject({ revokedAt: 7 })
  })
})

describeStores(stores(), 'a key in $name that is rotated', ({ open }) => {
  it('is known by both secrets until the overlap ends, then by one', async () => {
    const connection = await open()
    const first = await createKey(connection, { environment: 'development' }, 1_000)
    const { id } = first.stored
    const second = await rotateKey(connection, id, { overlapMs: 500 }, 2_000)
    const held = await Promise.all([first, second].map((one) => keyByHash(connection, hashApiKey(one?.key ?? ''))))
    expect(held.map((one) => [one?.facts.id, one?.endsAt])).toEqual([
      [id, 2_500],
      [id, undefined],
    ])
    expect(second?.key.slice(0, 5)).toBe('hg_d_')
    const old = { prefix: first.stored.prefix, createdAt: 1_000, expiresAt: 2_500 }
    expect(second?.stored).toMatchObject({ version: 2, secrets: [{ createdAt: 2_000 }, old] })
    expect(second?.stored.prefix).toBe(second?.stored.secrets[0]?.prefix)
    expect((await keyById(connection, id, 2_499))?.secrets).toHaveLength(2)
    expect((await keyById(connection, id, 2_500))?.secrets).toHaveLength(1)
    expect((await listKeys(connection, {}, 2_500))[0]?.prefix).toBe(second?.stored.prefix)
  })

  it('ends at once what it was known by where no overlap is wanted, and all of it where it is revoked', async () => {
    const connection = await open()
    const first = await createKey(connection, {}, 1_000)
    const { id } = first.stored
    const second = await rotateKey(connection, id, { overlapMs: 900 }, 2_000)
    const third = await rotateKey(connection, id, { overlapMs: 0 }, 2_001)
    expect(await Promise.all([first, second, third].map((one) => idOf(connection, one?.key ?? '')))).toEqual([
      undefined,
      undefined,
      id,
    ])
    const fourth = await rotateKey(connection, id, { overlapMs: 900 }, 2_002)
    await revokeKey(connection, id, 2_003)
    const held = await Promise.all([third, fourth].map((one) => keyByHash(connection, hashApiKey(one?.key ?? ''))))
    expect(held.map((one) => one?.facts.revokedAt)).toEqual([2_003, 2_003])
  })

  it('brings nothing back that had ended, and goes on for as long as is said', async () => {
    const connection = await open()
    const first = await createKey(connection, { expiresAt: 3_000 }, 1_000)
    const { id } = first.stored
    await expect(rotateKey(connection, id, { overlapMs: 500 }, 3_000)).rejects.toMatchObject({
      kind: 'conflict',
      param: 'expiresAt',
    })
    const second = await rotateKey(connection, id, { overlapMs: 5_000, expiresAt: 9_000 }, 2_900)
    const ends = await Promise.all(
      [first, second].map(async (one) => (await keyByHash(connection, hashApiKey(one?.key ?? '')))?.endsAt),
    )
    expect(ends).toEqual([3_000, 9_000])
    await rotateKey(connection, id, { overlapMs: 5_000, expiresAt: null }, 9_000).catch(() => undefined)
    const third = await rotateKey(connection, id, { overlapMs: 5_000, expiresAt: null }, 9_001)
    expect(await idOf(connection, second?.key ?? '')).toBeUndefined()
    expect(third?.stored.expiresAt).toBeUndefined()
  })

  it('has ten secrets at most, and an overlap of a year at most', async () => {
    const connection = await open()
    const { stored } = await createKey(connection, {}, 1_000)
    for (let at = 1; at < 10; at += 1) await rotateKey(connection, stored.id, { overlapMs: 1_000 }, 1_000 + at)
    await expect(rotateKey(connection, stored.id, { overlapMs: 1_000 }, 1_010)).rejects.toMatchObject({
      kind: 'conflict',
    })
    expect((await rotateKey(connection, stored.id, { overlapMs: 0 }, 1_011))?.stored.secrets).toHaveLength(1)
    for (const wrong of [-1, 1.5, Number.NaN, 400 * DAY])
      await expect(rotateKey(connection, stored.id, { overlapMs: wrong })).rejects.toMatchObject({ param: 'overlapMs' })
    expect(await rotateKey(connection, 'key_none', { overlapMs: 0 })).toBeUndefined()
  })
})

describeStores(stores(), 'the use of a key in $name', ({ open }) => {
  const MINUTE = 60_000
  const row = (number: number, principal: string, startedAt: number) => ledgerRow(number, { principal, startedAt })

  it('is noted with its rows, once a minute at most, and never taken back', async () => {
    const connection = await open()
    const [{ stored: one }, { stored: other }] = [await createKey(connection, {}), await createKey(connection, {})]
    const used = async () => (await listKeys(connection)).map(({ id, lastUsedAt }) => [id, lastUsedAt])
    const versions = await changesOf(connection, 'keys')
    const write = (...rows: ReturnType<typeof row>[]) => writeRows(connection, { rows, zone: 'UTC' })
    await write(row(1, one.id, START + 5), row(2, one.id, START), row(3, 'configured_1', START))
    const unused = new Map([[other.id, undefined]])
    expect(new Map((await used()) as [string, number | undefined][])).toEqual(new Map([[one.id, START + 5], ...unused]))
    await write(row(4, one.id, START + MINUTE), row(5, other.id, START - MINUTE))
    expect(new Map((await used()) as [string, number | undefined][]).get(one.id)).toBe(START + 5)
    await write(row(6, one.id, START + 6 + MINUTE), row(7, other.id, START - 2 * MINUTE))
    expect(new Map((await used()) as [string, number | undefined][])).toEqual(
      new Map([
        [one.id, START + 6 + MINUTE],
        [other.id, START - MINUTE],
      ]),
    )
    expect(await changesOf(connection, 'keys')).toBe(versions)
    expect((await keyById(connection, one.id))?.version).toBe(1)
  })
})

describeStores(stores(), 'who principals of usage are, in $name,', ({ open }) => {
  it('is known of keys of the store, and of those of the configuration as it is now', async () => {
    const connection = await open()
    const { stored } = await createKey(connection, {
      name: 'a',
      project: 'prj_a',
      environment: 'staging',
      createdBy: 'per_a',
    })
    await changeKey(connection, stored.id, { name: 'b' })
    await configurePrincipals(connection, [{ id: 'configured_2', name: 'ci', project: 'web' }, { id: 'configured_1' }])
    await configurePrincipals(connection, [{ id: 'configured_2', name: 'cd', project: 'web', environment: 'staging' }])
    await configurePrincipals(connection, [])
    expect(await principals(connection)).toEqual([
      { id: 'configured_1', project: 'config', environment: 'production', member: null, name: null },
      { id: 'configured_2', project: 'web', environment: 'staging', member: null, name: 'cd' },
      { id: stored.id, project: 'prj_a', environment: 'staging', member: 'per_a', name: 'b' },
    ])
  })
})

describeStores(stores(), 'lists of models in $name', ({ open }) => {
  it('are kept until a newer one comes', async () => {
    const lists = createListStore(await open())
    expect(await lists.read('mine')).toBeUndefined()
    await lists.write('mine', [{ id: 'a' }])
    await lists.write('mine', [{ id: 'b\0' }])
    expect(await lists.read('mine')).toEqual([{ id: 'b\0' }])
  })
})
