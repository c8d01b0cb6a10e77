import type { Model } from './deployment.ts'

/** What is asked of a deployment all at once. */
export interface Trial {
  readonly model: Model
  readonly requests: number
  /** Tokens that each answer would have. */
  readonly input: number
  readonly output: number
  /** Absent: the requests have no limit of their own. */
  readonly maxTokens?: number
  /** Nano-dollars that their key may spend. */
  readonly limit: bigint
}

const FIVE = 5_000_000_000n

/** What each trial asks of a key that may spend $5: 500 requests of ten cents, or nearly. */
export const TRIALS = {
  /** Only the output has a price, so that what a request costs at most is what it costs. */
  exact: { model: 'exact', requests: 500, input: 20, output: 1_000, maxTokens: 1_000, limit: FIVE },
  /** What it costs at most is a little more than what it costs. */
  priced: { model: 'input', requests: 500, input: 90, output: 990, maxTokens: 990, limit: FIVE },
  /** Without a limit of its own: that of the model is a dollar's worth, of which ten cents are used. */
  unlimited: { model: 'whole', requests: 500, input: 20, output: 3_333, limit: FIVE },
} satisfies Readonly<Record<string, Trial>>
