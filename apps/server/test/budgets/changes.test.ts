import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { command } from '../program.ts'
import { type Answer, ask, createConnections } from './crowd.ts'
import type { Deployment } from './deployment.ts'
import { readSpending } from './spending.ts'
import { type OpenVenue, openVenue, PLACES } from './venue.ts'

const DOLLAR = 1_000_000_000n
const TEN_CENTS = 100_000_000
const WISH = { input: 20, output: 1_000 }
/** Callers that ask one after the other, and how long each answer takes, in milliseconds. */
const CALLERS = 3
const DELAY = 60

interface Load {
  /** Answers so far, and when each came. */
  readonly answers: readonly (Answer & { readonly at: number })[]
  /** Resolves once all callers have been told that it makes no sense to ask again, or have been told to end. */
  readonly over: Promise<unknown>
  end(): void
}

describe.each(PLACES)('What changes under load, at $name', { tags: ['full'] }, (place) => {
  const only = { timeout: 60_000 }

  let open: OpenVenue | undefined
  /** Spending of keys that the upstream charged for, in nano-dollars. */
  const due = new Map<string, bigint>()
  beforeAll(async () => {
    open = await openVenue({ ...place, delay: DELAY })
  })
  afterAll(() => open?.close())
  const opened = (skip: (why: string) => never): OpenVenue => open ?? skip('Postgres is not installed')
  const headgate = async ({ places }: Deployment, ...args: readonly string[]): Promise<string> => {
    const [first] = places
    if (!first) throw new TypeError('There is at least one node.')
    const { dataDir, databaseUrl } = first
    const environment = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
    const { code, stdout, stderr } = await command([...args, '--data-dir', dataDir], {
      folder: dirname(dataDir),
      environment,
    })
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const load = ({ deployment }: OpenVenue, key: string): Load => {
    const agent = createConnections()
    onTestFinished(() => agent.destroy())
    const answers: (Answer & { at: number })[] = []
    let isOn = true
    onTestFinished(() => {
      isOn = false
    })
    let number = 0
    const call = async (nth: number): Promise<void> => {
      while (isOn) {
        const urls = deployment.urls()
        const url = urls[nth % urls.length] ?? ''
        const answer = await ask(agent, { url, key, model: 'exact', number: ++number, ...WISH, maxTokens: WISH.output })
        answers.push({ ...answer, at: performance.now() })
        if (answer.status !== 200 && !answer.shouldRetry) return
      }
    }
    const over = Promise.all(Array.from({ length: CALLERS * place.nodes }, (_, nth) => call(nth)))
    return {
      answers,
      over,
      end: () => {
        isOn = false
      },
    }
  }
  /** Waits until every node serves the key: a change of the store is known everywhere within a second. */
  const known = async ({ deployment }: OpenVenue, key: string): Promise<void> => {
    const agent = createConnections()
    onTestFinished(() => agent.destroy())
    for (const url of deployment.urls())
      await vi.waitUntil(
        async () =>
          (await ask(agent, { url, key, model: 'exact', number: 0, ...WISH, maxTokens: WISH.output })).status === 200,
        { timeout: 10_000, interval: 20 },
      )
  }
  const served = ({ answers }: Load): number => answers.filter(({ status }) => status === 200).length
  const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 5 })

  it('is a budget that is raised: what it has more is spent, and no more', only, async ({ skip }) => {
    const venue = opened(skip)
    const { id, key } = await venue.deployment.createKey(2n * DOLLAR)
    const loading = load(venue, key)
    await until(() => served(loading) >= 8)
    // Nobody has spent all of it before it is more, however long the command takes.
    let isRaised = false
    venue.upstream.holdUntil(() => isRaised)
    await headgate(venue.deployment, 'budgets', 'set', `key:${id}`, '4')
    isRaised = true
    venue.upstream.look()
    await loading.over
    expect(served(loading)).toBe(40)
    due.set(id, 4n * DOLLAR)
  })

  it(
    'is a budget that is lowered below what is spent: within a second nothing more is admitted',
    only,
    async ({ skip }) => {
      const venue = opened(skip)
      const { id, key } = await venue.deployment.createKey(1_000n * DOLLAR)
      const loading = load(venue, key)
      await until(() => served(loading) >= 8)
      await headgate(venue.deployment, 'budgets', 'set', `key:${id}`, '0.5')
      const changedAt = performance.now()
      await loading.over
      const last = Math.max(...loading.answers.map(({ at }) => at))
      expect(last - changedAt).toBeLessThan(2_000)
      due.set(id, BigInt(served(loading) * TEN_CENTS))
    },
  )

  it('is a budget that is removed: nothing bounds its key any more', only, async ({ skip }) => {
    const venue = opened(skip)
    const { id, key } = await venue.deployment.createKey(DOLLAR)
    const loading = load(venue, key)
    await until(() => served(loading) >= 5)
    const listed = await headgate(venue.deployment, 'budgets', 'list')
    const budget =
      listed
        .split('\n')
        .find((line) => line.includes(id))
        ?.split(' ')[0] ?? ''
    await headgate(venue.deployment, 'budgets', 'remove', budget)
    let isOver = false
    void loading.over.then(() => {
      isOver = true
    })
    await until(() => served(loading) >= 20 || isOver)
    loading.end()
    await loading.over
    await known(venue, key)
    const again = load(venue, key)
    await until(() => served(again) >= 12)
    again.end()
    await again.over
    expect(again.answers.filter(({ status }) => status !== 200)).toEqual([])
  })

  it(
    'is a key that is revoked: what it has begun ends and is its own, the next request is refused within a second',
    only,
    async ({ skip }) => {
      const venue = opened(skip)
      const before = venue.upstream.paid.length
      const { id, key } = await venue.deployment.createKey(1_000n * DOLLAR)
      const loading = load(venue, key)
      await until(() => served(loading) >= 8)
      const begun = venue.upstream.paid.length
      let isHeld = true
      venue.upstream.holdUntil(() => !isHeld)
      await until(() => venue.upstream.paid.length >= begun + CALLERS * place.nodes)
      await headgate(venue.deployment, 'keys', 'revoke', id)
      const agent = createConnections()
      onTestFinished(() => agent.destroy())
      const revokedAt = performance.now()
      for (const url of venue.deployment.urls())
        await vi.waitUntil(
          async () => (await ask(agent, { url, key, model: 'none', number: 0, ...WISH })).status === 401,
          {
            timeout: 1_500,
            interval: 50,
          },
        )
      expect(performance.now() - revokedAt).toBeLessThan(1_500)
      isHeld = false
      venue.upstream.look()
      await loading.over
      expect(loading.answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([])
      due.set(id, BigInt((venue.upstream.paid.length - before) * TEN_CENTS))
    },
  )

  it('leaves rows and budgets that agree with what the upstream charged', only, async ({ skip }) => {
    const { deployment } = opened(skip)
    await deployment.stop()
    const { keys, findings } = await readSpending(deployment)
    expect(findings).toEqual([])
    const counted = [...due.keys()].map((id) => [id, keys.get(id)?.charged, keys.get(id)?.counted])
    expect(counted).toEqual([...due].map(([id, spent]) => [id, spent, spent]))
    expect(due.size).toBe(3)
  })
})
