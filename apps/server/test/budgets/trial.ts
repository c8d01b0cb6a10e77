import { type Answer, ask, createConnections } from './crowd.ts'
import { costOf } from './deployment.ts'
import type { Trial } from './trials.ts'
import type { Venue } from './venue.ts'

/** What came of it. Amounts are nano-dollars. */
export interface Outcome {
  readonly id: string
  readonly served: number
  /** Of these, those that were among the first that were asked at once. */
  readonly atOnce: number
  readonly refused: number
  /** Neither of both. */
  readonly others: readonly Answer[]
  /** What the upstream charges. */
  readonly paid: bigint
  readonly refusals: readonly Answer[]
}

/** Most waves that those who are told to ask again later ask in. */
const WAVES = 120

let numbers = 0

/**
 * Has a new key spend: the upstream does not answer before all requests of a wave have come or were refused.
 * `isPatient`: whoever is told to ask again later does, until the money is spent.
 */
export async function spend(
  { deployment, upstream }: Venue,
  trial: Trial,
  { isPatient = false } = {},
): Promise<Outcome> {
  const { model, limit, requests, input, output, maxTokens } = trial
  const { id, key } = await deployment.createKey(limit)
  const agent = createConnections()
  const own = new Set<number>()
  const refusals: Answer[] = []
  const others: Answer[] = []
  let served = 0
  let atOnce = 0
  const wave = async (count: number): Promise<readonly Answer[]> => {
    const before = upstream.paid.length
    let refused = 0
    upstream.holdUntil(() => upstream.paid.length - before + refused >= count)
    const urls = deployment.urls()
    const asking = Array.from({ length: count }, async (_, index) => {
      const number = ++numbers
      own.add(number)
      const url = urls[index % urls.length] ?? ''
      const answer = await ask(agent, {
        url,
        key,
        model,
        number,
        input,
        output,
        ...(maxTokens !== undefined && { maxTokens }),
      })
      if (answer.status !== 200) refused += 1
      upstream.look()
      return answer
    })
    return Promise.all(asking)
  }
  try {
    let waiting = requests
    for (let waves = 0; waiting > 0 && waves < (isPatient ? WAVES : 1); waves += 1) {
      const answers = await wave(waiting)
      served += answers.filter(({ status }) => status === 200).length
      if (waves === 0) atOnce = served
      others.push(...answers.filter(({ status }) => status !== 200 && status !== 429))
      const denied = answers.filter(({ status }) => status === 429)
      const late = denied.filter(({ shouldRetry }) => shouldRetry)
      refusals.push(...(isPatient && waves + 1 < WAVES ? denied.filter(({ shouldRetry }) => !shouldRetry) : denied))
      waiting = isPatient ? late.length : 0
    }
  } finally {
    agent.destroy()
    upstream.holdUntil(() => true)
  }
  const paid = upstream.paid.filter(({ number }) => own.has(number)).reduce((sum, one) => sum + costOf(model, one), 0n)
  return { id, served, atOnce, refused: refusals.length, others, paid, refusals }
}
