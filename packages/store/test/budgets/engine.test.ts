import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { listBudgets } from '../../src/budgets/defined.ts'
import { describeStores, stores } from '../support/stores.ts'
import { accountsOf, admits, DOLLAR, define, openWorld, refusal, startProcess, undefine } from './engines.ts'
import { ask, DIME, rowOf } from './requests.ts'

const KEY_2 = { principal: { id: 'key_2' } }

describeStores(stores(), 'A budget of one process in $name', ({ open }) => {
  it('admits as many of 500 requests at once as it can pay for, and says of the others that they may come again', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { name: 'team' })
    const one = await startProcess(world)
    const asks = Array.from({ length: 500 }, () => ask())
    const answers = await Promise.all(asks.map((request) => one.engine.reserve(request)))
    const admitted = asks.filter((_, index) => answers[index] === undefined)
    expect(admitted).toHaveLength(50)
    const refused = answers.find((answer) => answer !== undefined)
    expect(refused).toMatchObject({
      why: 'limit',
      budget: { name: 'team', scope: 'key', limit: 5n * DOLLAR, period: 'day' },
      spent: 0n,
      held: 5n * DOLLAR,
      room: 0n,
      retryAfterMs: 1_000,
      resetAt: expect.any(Number),
    })
    await Promise.all(admitted.map((request) => one.ledger.settle(rowOf(request, DIME))))
    const late = await refusal(one, ask())
    expect([late.spent, late.held, late.retryAfterMs]).toEqual([5n * DOLLAR, 0n, undefined])
    await one.ledger.ingest()
    expect(await accountsOf(world.connection)).toMatchObject([
      { spent: 5n * DOLLAR, leased: 0n, left: 0n, counted: 5n * DOLLAR },
    ])
  })

  it('is freed of what a request did not cost, at once', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { limit: BigInt(DIME) })
    const one = await startProcess(world)
    for (let cents = 0; cents < 9; cents += 1) {
      const request = ask(DIME - cents * 10_000_000)
      expect(await admits(one, request)).toBe(true)
      await one.ledger.settle(rowOf(request, 10_000_000))
    }
    expect(await refusal(one, ask(20_000_000))).toMatchObject({ room: 10_000_000n, spent: 90_000_000n })
    expect(await admits(one, ask(10_000_000))).toBe(true)
  })

  it('takes from all budgets, or from none', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { name: 'large' })
    const small = await define(world.connection, { name: 'small', period: 'month', limit: BigInt(DIME) })
    const one = await startProcess(world)
    const first = ask()
    expect(await admits(one, first)).toBe(true)
    for (let times = 0; times < 3; times += 1) expect((await refusal(one, ask())).budget.name).toBe('small')
    await undefine(world.connection, small)
    await one.learn()
    for (let times = 0; times < 49; times += 1) expect(await admits(one, ask())).toBe(true)
    expect((await refusal(one, ask())).budget.name).toBe('large')
  })

  it('knows of the budgets of whoever owns the key', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { scope: 'project', owner: 'p1', limit: BigInt(DIME) })
    const one = await startProcess(world)
    const owned = { principal: { id: 'key_9', owners: { project: 'p1' } } }
    expect([one.engine.bounds(owned.principal), one.engine.bounds({ id: 'key_9' })]).toEqual([true, false])
    expect(await admits(one, ask(DIME, owned))).toBe(true)
    expect(
      (await refusal(one, ask(DIME, { principal: { id: 'key_8', owners: { project: 'p1' } } }))).budget.scope,
    ).toBe('project')
  })

  it('of the key, its project, its member and its organization is reserved in all of them, or in none', async () => {
    const world = await openWorld(await open())
    const owners = { project: 'p', member: 'm', organization: 'o' }
    const limits = { key: 4, organization: 3, member: 2, project: 1 } as const
    for (const [scope, dimes] of Object.entries(limits) as ['key', number][])
      await define(world.connection, { scope, owner: { key: 'key_1', ...owners }[scope], limit: BigInt(dimes * DIME) })
    const one = await startProcess(world)
    const principals = [{ owners }, { owners: { ...owners, project: 'q' } }, { owners: { organization: 'o' } }, {}]
    for (const [index, more] of principals.entries()) {
      const principal = { id: 'key_1', ...more }
      const request = ask(DIME, { principal })
      expect(await admits(one, request)).toBe(true)
      await one.ledger.settle(rowOf(request, DIME))
      // The tightest of them is used up by then.
      const { budget } = await refusal(one, ask(DIME, { principal }))
      expect(budget.scope).toBe(['project', 'member', 'organization', 'key'][index])
    }
    await one.ledger.ingest()
    const budgets = new Map((await listBudgets(world.connection)).map(({ id, scope }) => [id, scope]))
    const spent = (await accountsOf(world.connection)).map((account) => [
      budgets.get(account.budget),
      account.spent,
      account.leased,
    ])
    expect(Object.fromEntries(spent.map(([scope, ...rest]) => [scope, rest]))).toEqual(
      Object.fromEntries(Object.entries(limits).map(([scope, dimes]) => [scope, [BigInt(dimes * DIME), 0n]])),
    )
  })

  it('that only alerts bounds nothing, and counts', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { soft: true, limit: BigInt(DIME) })
    const one = await startProcess(world)
    expect(one.engine.bounds({ id: 'key_1' })).toBe(false)
    await one.ledger.settle(rowOf(ask(), 3 * DIME))
    await one.ledger.ingest()
    expect(await accountsOf(world.connection)).toMatchObject([{ spent: 3n * BigInt(DIME), leased: 0n }])
  })

  it('refuses what nobody knows the price of', async () => {
    const world = await openWorld(await open())
    await define(world.connection)
    const one = await startProcess(world)
    expect(await refusal(one, ask(null))).toMatchObject({ why: 'price-unknown' })
    expect(await refusal(one, ask(-1))).toMatchObject({ why: 'price-unknown' })
    expect(await one.engine.reserve(ask(null, KEY_2))).toBe(undefined)
  })

  it('counts what callers are charged, or what upstreams charge, as it says', async () => {
    const world = await openWorld(await open())
    const charged = await define(world.connection, { name: 'charged' })
    const cost = await define(world.connection, { name: 'cost', counts: 'cost' })
    const one = await startProcess(world)
    const request = ask()
    await admits(one, request)
    await one.ledger.settle(rowOf(request, 70_000_000, { charged: 20_000_000 }))
    await one.ledger.ingest()
    const accounts = await accountsOf(world.connection)
    expect(accounts.find(({ budget }) => budget === charged.id)?.spent).toBe(20_000_000n)
    expect(accounts.find(({ budget }) => budget === cost.id)?.spent).toBe(70_000_000n)
  })

  it('keeps what nobody knows the cost of at its bound: of a call that may be charged, and not of one that is known', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { counts: 'cost' })
    const one = await startProcess(world)
    const request = ask(30_000_000)
    await admits(one, request)
    await admits(one, { ...request, bound: 50_000_000 })
    const { attempts } = rowOf(request, null)
    const [attempt] = attempts
    if (!attempt) throw new Error('There is one.')
    const both = { attempts: [attempt, { ...attempt, cost: 20_000_000 }] }
    await one.ledger.settle(rowOf(request, null, { ...both, charged: 20_000_000 }))
    await one.ledger.ingest()
    expect(await accountsOf(world.connection)).toMatchObject([{ spent: 50_000_000n }])
    const row = await world.connection.db.selectFrom('usage').select(['cost', 'held']).executeTakeFirst()
    expect(row).toEqual({ cost: null, held: 30_000_000n })
  })

  it('counts a cost above the bound in full, says so, and pays it from what comes', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { limit: DOLLAR })
    const one = await startProcess(world)
    const [first, second] = [ask(), ask(900_000_000)]
    await admits(one, first)
    await admits(one, second)
    await one.ledger.settle(rowOf(first, 4 * DIME))
    expect(one.engine.missed()).toEqual({ requests: 1, nanos: 300_000_000n })
    await one.ledger.settle(rowOf(second, 0))
    await one.ledger.ingest()
    expect(await refusal(one, ask(7 * DIME))).toMatchObject({ room: 600_000_000n })
    expect(await admits(one, ask(6 * DIME))).toBe(true)
    expect(await accountsOf(world.connection)).toMatchObject([{ spent: 400_000_000n }])
  })

  it('gives back what was released, and has no row of it when the process dies', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { limit: BigInt(DIME) })
    const one = await startProcess(world)
    const request = ask()
    await admits(one, request)
    one.engine.release(request.id)
    one.engine.release(request.id)
    expect(await admits(one, request)).toBe(true)
    one.engine.release(request.id)
    one.kill()
    const next = await startProcess(world)
    await next.ingestEnded()
    expect(await world.connection.db.selectFrom('usage').selectAll().execute()).toEqual([])
    expect(await admits(next, ask())).toBe(true)
  })

  it('counts a request that is settled twice once', async () => {
    const world = await openWorld(await open())
    await define(world.connection)
    const one = await startProcess(world)
    const request = ask()
    await admits(one, request)
    await one.ledger.settle(rowOf(request, DIME))
    await one.ledger.settle(rowOf(request, DIME))
    await one.ledger.ingest()
    expect(await accountsOf(world.connection)).toMatchObject([{ spent: 100_000_000n, counted: 100_000_000n }])
  })

  it('has what a request holds in its journal before the call', async () => {
    const world = await openWorld(await open())
    await define(world.connection)
    const one = await startProcess(world)
    const request = ask()
    await admits(one, request)
    one.kill()
    const next = await startProcess(world)
    await next.ingestEnded()
    const [row] = await world.connection.db.selectFrom('usage').selectAll().execute()
    expect(row).toMatchObject({ id: request.id, why: 'lost', cost: null, held: 100_000_000n })
    expect(await accountsOf(world.connection)).toMatchObject([
      { spent: 100_000_000n, leased: 0n, counted: 100_000_000n },
    ])
  })

  it('is there for the next process as the one before has left it', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { limit: DOLLAR })
    for (let run = 0; run < 5; run += 1) {
      const one = await startProcess(world)
      const [settled, lost] = [ask(), ask()]
      expect([await admits(one, settled), await admits(one, lost)]).toEqual([true, true])
      await one.ledger.settle(rowOf(settled, DIME))
      one.kill()
    }
    const last = await startProcess(world)
    expect(await refusal(last, ask())).toMatchObject({ spent: DOLLAR, held: 0n })
    expect(await accountsOf(world.connection)).toMatchObject([{ spent: DOLLAR, leased: 0n }])
  })
  it('has what a request cost in the end, where it was taken for lost and somebody else has seen its end', async () => {
    const world = await openWorld(await open())
    const charged = await define(world.connection, { limit: DOLLAR })
    const cost = await define(world.connection, { limit: DOLLAR, counts: 'cost' })
    const one = await startProcess(world)
    const request = ask(6 * DIME)
    await admits(one, request)
    one.kill()
    const next = await startProcess(world)
    await next.ingestEnded()
    expect(await refusal(next, ask(5 * DIME))).toMatchObject({ spent: 600_000_000n })
    const row = rowOf(request, 2 * DIME, { charged: DIME })
    for (let times = 0; times < 2; times += 1) {
      await next.ledger.settle(row)
      await next.ledger.ingest()
    }
    const spent = new Map((await accountsOf(world.connection)).map((account) => [account.budget, account]))
    expect(spent.get(charged.id)).toMatchObject({ spent: 100_000_000n, counted: 100_000_000n })
    expect(spent.get(cost.id)).toMatchObject({ spent: 200_000_000n, counted: 200_000_000n })
    await expect.poll(() => admits(next, ask(5 * DIME))).toBe(true)
    const rows = await world.connection.db
      .selectFrom('usage')
      .select(['why', 'cost', 'held', 'corrects'])
      .orderBy('why')
      .execute()
    expect(rows).toEqual([
      { why: 'lost', cost: null, held: 600_000_000n, corrects: null },
      { why: 'served', cost: 200_000_000n, held: -600_000_000n, corrects: request.id },
    ])
    expect(await check(world.connection)).toEqual([])
  })

  it('does not count twice what another process has seen the end of before its own journal is read', async () => {
    const world = await openWorld(await open())
    await define(world.connection, { limit: DOLLAR })
    await define(world.connection, { limit: DOLLAR, scope: 'project', owner: 'p' })
    const [one, other] = [await startProcess(world), await startProcess(world)]
    const request = ask(6 * DIME, { principal: { id: 'key_1', owners: { project: 'p' } } })
    await admits(one, request)
    // Knows nothing of the project.
    await other.ledger.settle(rowOf(request, DIME))
    await other.ledger.ingest()
    one.kill()
    await other.ingestEnded()
    const account = { spent: 100_000_000n, leased: 0n, counted: 100_000_000n }
    expect(await accountsOf(world.connection)).toMatchObject([account, account])
  })
})
