import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hashApiKey } from '../../src/keys/api-key.ts'
import { openStore } from '../../src/store.ts'
import { temporaryFolder } from '../journal/journals.ts'
import { DOLLAR } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

async function open(dataDir = temporaryFolder()) {
  const problems: string[] = []
  const onAlert = vi.fn()
  const store = await openStore({
    dataDir,
    zone: 'Europe/Berlin',
    onProblem: (problem) => problems.push(problem),
    onAlert,
  })
  onTestFinished(() => store.close())
  return { dataDir, store, onAlert, problems }
}

describe('The budgets of a store with its threads', () => {
  it('are made with their key, and bound its first request, in another process too', async () => {
    const [one, other] = await twoOf()
    const { key, stored } = await one.store.keys.create({ name: 'team', budgets: [{ limit: DOLLAR, period: 'day' }] })
    const principal = await other.store.keys.findByHash(hashApiKey(key))
    if (!principal) throw new Error('It is there.')
    expect(other.store.budgets.bounds(principal)).toBe(true)
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => other.store.budgets.reserve(ask(DIME, { principal }))),
    )
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(10)
    expect(answers.find((answer) => answer)).toMatchObject({ budget: { name: '$1 a day', scope: 'key' } })
    expect(await one.store.budgets.list()).toMatchObject([
      {
        owner: stored.id,
        zone: 'Europe/Berlin',
        limit: DOLLAR,
        spent: 0n,
        leased: DOLLAR,
        resetAt: expect.any(Number),
      },
    ])
  })

  it('are shared by processes: what one does not need the other has', async () => {
    const [one, other] = await twoOf()
    const budget = await one.store.budgets.set({ scope: 'project', owner: 'p', limit: 5n * DOLLAR, period: 'month' })
    const request = (bound = DIME) => ask(bound, { principal: { id: 'key_1', owners: { project: 'p' } } })
    await expect.poll(() => other.store.budgets.bounds(request().principal)).toBe(true)
    const first = request()
    expect(await one.store.budgets.reserve(first)).toBe(undefined)
    await one.store.ledger.settle(rowOf(first, 0))
    const asked = Array.from({ length: 200 }, (_, index) => ({
      store: index % 2 ? one.store : other.store,
      request: request(),
    }))
    const answers = await Promise.all(asked.map(({ store, request: own }) => store.budgets.reserve(own)))
    const admitted = asked.filter((_, index) => answers[index] === undefined)
    expect(admitted).toHaveLength(50)
    await Promise.all(admitted.map(({ store, request: own }) => store.ledger.settle(rowOf(own, DIME))))
    await Promise.all([one.store.ledger.ingest(), other.store.ledger.ingest()])
    expect(await one.store.budgets.list()).toMatchObject([{ id: budget.id, spent: 5n * DOLLAR, leased: 0n }])
    const announced = (await Promise.all([one, other].map(({ store }) => store.alerts.take(10, 60_000)))).flat()
    expect(announced.map(({ percent }) => percent).sort((a, b) => a - b)).toEqual([50, 80, 100])
  })

  it('of owners hold together, for all keys that they own', async () => {
    const { store } = await open()
    const scopes = ['project', 'member', 'organization'] as const
    const owners = { project: 'p', member: 'm', organization: 'o' }
    for (const [index, scope] of scopes.entries())
      await store.budgets.set({ scope, owner: owners[scope], limit: BigInt((index + 1) * DIME), period: 'forever' })
    const refusedBy: unknown[] = []
    for (const [index, scope] of scopes.entries()) {
      const request = ask(DIME, {
        principal: { id: `key_${index}`, owners: { ...owners, ...(index > 0 && { project: 'q' }) } },
      })
      if (index === 2) Object.assign(request.principal, { owners: { organization: 'o' } })
      expect(await store.budgets.reserve(request), scope).toBe(undefined)
      await store.ledger.settle(rowOf(request, DIME))
      refusedBy.push((await store.budgets.reserve({ ...request, id: ask().id }))?.budget.scope)
    }
    expect(refusedBy).toEqual(scopes)
    await store.ledger.ingest()
    expect((await store.budgets.list()).map(({ spent }) => spent)).toEqual(
      [1, 2, 3].map((dimes) => BigInt(dimes * DIME)),
    )
  })

  it('are felt in all processes when they change', async () => {
    const [one, other] = await twoOf()
    const { id } = await one.store.budgets.set({ scope: 'key', owner: 'key_1', limit: 0n, period: 'forever' })
    await expect.poll(() => other.store.budgets.reserve(ask())).toMatchObject({ why: 'limit' })
    await one.store.budgets.set({ id, scope: 'key', owner: 'key_1', limit: DOLLAR, period: 'forever' })
    await expect.poll(() => other.store.budgets.reserve(ask())).toBe(undefined)
    expect([await one.store.budgets.remove(id), await one.store.budgets.remove(id)]).toEqual([true, false])
    await expect.poll(() => other.store.budgets.bounds({ id: 'key_1' })).toBe(false)
  })

  it('are free of what a request had reserved that ended at another process', async () => {
    const [one, other] = await twoOf()
    await one.store.budgets.set({ scope: 'key', owner: 'key_1', limit: DOLLAR, period: 'month' })
    const request = ask(9 * DIME)
    expect(await one.store.budgets.reserve(request)).toBe(undefined)
    await other.store.ledger.settle(rowOf(request, 2 * DIME))
    await other.store.ledger.ingest()
    const rest = async () => one.store.budgets.reserve(ask(8 * DIME))
    await expect.poll(rest, { timeout: 20_000, interval: 250 }).toBe(undefined)
    expect(await one.store.budgets.reserve(ask(1))).toMatchObject({ why: 'limit', room: 0n })
  })

  it('wake whoever tells of what is spent, and have it for whoever comes after a kill', async () => {
    const { store, onAlert, dataDir } = await open()
    await store.budgets.set({ scope: 'key', owner: 'key_1', limit: DOLLAR, period: 'day', soft: true })
    onAlert.mockClear()
    await store.ledger.settle(rowOf(ask(), 9 * DIME))
    await vi.waitFor(() => expect(onAlert).toHaveBeenCalled())
    // Whoever takes them never comes back.
    expect(await store.alerts.take(10, 0)).toHaveLength(2)
    await store.close()
    const next = (await open(dataDir)).store
    const [first, second] = await next.alerts.take(10, 60_000)
    expect([first?.tries, second?.tries, await next.alerts.take(10, 60_000)]).toEqual([1, 1, []])
    await next.alerts.done(first?.id ?? '')
    expect(await next.alerts.later(second?.id ?? '', 1)).toBe(true)
    expect(await next.alerts.take(10, 60_000)).toMatchObject([{ id: second?.id, tries: 2 }])
    expect(await next.alerts.list()).toHaveLength(2)
  })

  it('of the configuration are as it says: those that it names no more are gone, others stay', async () => {
    const { store } = await open()
    const budget = { id: 'config:a', scope: 'key', owner: 'a', limit: DOLLAR, period: 'day' } as const
    await store.budgets.configure([budget, { ...budget, id: 'config:b', owner: 'b' }])
    await store.budgets.set({ ...budget, id: 'own' })
    await store.budgets.configure([{ ...budget, limit: 2n * DOLLAR }])
    const all = (await store.budgets.list()).map(({ id, limit }) => [id, limit])
    expect(all).toEqual([
      ['config:a', 2n * DOLLAR],
      ['own', DOLLAR],
    ])
    await expect(store.budgets.set({ ...budget, zone: 'Mars/Base' })).rejects.toMatchObject({ kind: 'invalid-request' })
    await expect(store.budgets.set({ ...budget, limit: -1n })).rejects.toThrow('nano-dollars')
  })

  it('outlive it: what it had reserved for what has not ended is held, all else may be spent', async () => {
    const { store, dataDir } = await open()
    await store.budgets.set({ scope: 'key', owner: 'key_1', limit: DOLLAR, period: 'month' })
    const [ended, open1] = [ask(), ask()]
    await store.budgets.reserve(ended)
    await store.budgets.reserve(open1)
    await store.ledger.settle(rowOf(ended, DIME))
    await store.close()
    const next = (await open(dataDir)).store
    const answers = await Promise.all(Array.from({ length: 20 }, () => next.budgets.reserve(ask())))
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(8)
    expect(await next.budgets.list()).toMatchObject([{ spent: 200_000_000n, leased: 800_000_000n }])
  })
})

async function twoOf() {
  const one = await open()
  return [one, await open(one.dataDir)] as const
}
