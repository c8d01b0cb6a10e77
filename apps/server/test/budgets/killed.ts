import { createRandom } from '../../../../packages/gateway/test/faults/random.ts'
import { ask, createConnections } from './crowd.ts'
import { costOf, deploy, type Shape } from './deployment.ts'
import { startPaidUpstream } from './paid-upstream.ts'
import { readSpending } from './spending.ts'

export interface Killing {
  readonly shape: Shape
  readonly kills: number
  readonly seed: number
}

/** What is wrong after kills; all empty: nothing. */
export interface AfterKills {
  readonly kills: number
  readonly served: number
  readonly refused: number
  /** Keys whose upstream charged more than they may spend. */
  readonly over: readonly string[]
  /** Keys whose budgets count something else than their rows say. */
  readonly unequal: readonly string[]
  /** Keys whose rows say less than the upstream charged, or more than that and what was under way at kills. */
  readonly untrue: readonly string[]
  readonly findings: readonly string[]
}

const LIMIT = 5_000_000_000n
const WISH = { input: 20, output: 1_000 }
const BOUND = costOf('exact', WISH)
/** Keys of a round, requests of each at once, and how often each of these is asked again. */
const KEYS = 3
const CALLERS = 12
const LONGEST = 40

/** Spends of several keys while nodes and workers die of `kill -9` and come back. */
export async function killSpenders({ shape, kills, seed }: Killing): Promise<AfterKills> {
  const random = createRandom(seed)
  const upstream = await startPaidUpstream({ delay: () => random.below(LONGEST) })
  const deployment = await deploy(shape, upstream.origin)
  const agent = createConnections()
  const owners = new Map<number, string>()
  const count = { number: 0, kills: 0, served: 0, refused: 0 }
  const oneRound = async (): Promise<void> => {
    const spenders: Awaited<ReturnType<typeof deployment.createKey>>[] = []
    // An archive runs its SQL in this thread, and waits in it for others.
    while (spenders.length < KEYS) spenders.push(await deployment.createKey(LIMIT))
    let isOn = true
    const call = async ({ id, key }: { readonly id: string; readonly key: string }, nth: number): Promise<void> => {
      while (isOn) {
        const urls = deployment.urls()
        const number = ++count.number
        owners.set(number, id)
        const stream = number % 2 === 0
        const answer = await ask(agent, {
          url: urls[nth % urls.length] ?? '',
          key,
          model: 'exact',
          number,
          ...WISH,
          maxTokens: WISH.output,
          stream,
        })
        if (answer.status === 200) count.served += 1
        if (answer.status === 429) count.refused += 1
        if (answer.status === 429 && !answer.shouldRetry) return
        // Who is told to come back does so when something has happened: a kill, an answer.
        if (answer.status !== 200) await new Promise((resolve) => setTimeout(resolve, LONGEST))
      }
    }
    const calling = spenders.flatMap((spender) => Array.from({ length: CALLERS }, (_, nth) => call(spender, nth)))
    const done = Promise.all(calling)
    for (let left = 2; left > 0 && count.kills < kills; left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, random.below(10 * LONGEST)))
      const node = random.below(shape.nodes)
      count.kills += 1
      await deployment.kill(node, shape.workers > 1 && random.below(2) === 0 ? random.below(shape.workers) : undefined)
    }
    const timer = setTimeout(() => {
      isOn = false
    }, 5_000)
    await done
    clearTimeout(timer)
  }
  try {
    while (count.kills < kills) await oneRound()
    agent.destroy()
    await deployment.stop()
    const { keys, findings } = await readSpending(deployment)
    const paid = new Map<string, bigint>()
    for (const one of upstream.paid) {
      const id = owners.get(one.number) ?? ''
      paid.set(id, (paid.get(id) ?? 0n) + costOf('exact', one))
    }
    const said = [...keys].map(([id, { charged, held, counted }]) => ({
      id,
      charged,
      held,
      counted,
      paid: paid.get(id) ?? 0n,
    }))
    const text = ({ id, ...amounts }: (typeof said)[number]): string =>
      `${id}: ${Object.entries(amounts)
        .map(([name, amount]) => `${name} ${amount}`)
        .join(', ')}`
    return {
      kills: count.kills,
      served: count.served,
      refused: count.refused,
      over: said.filter((one) => one.paid > LIMIT || one.counted > LIMIT).map(text),
      unequal: said.filter((one) => one.charged + one.held !== one.counted || one.held % BOUND !== 0n).map(text),
      untrue: said.filter((one) => one.counted < one.paid || one.charged > one.paid).map(text),
      findings,
    }
  } finally {
    await deployment.remove()
    await upstream.close()
  }
}
