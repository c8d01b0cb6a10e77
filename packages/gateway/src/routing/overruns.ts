/** Maximum number of models to remember. */
const REMEMBERED = 1_000
/** Time that an overrun counts after the model's last one, in milliseconds: one day. */
const LIFETIME_MS = 86_400_000
/**
 * Minimum limit, in tokens, for ratios to count. With a smaller limit, the fixed overhead of each response dominates
 * the ratio.
 */
const RATIO_FROM = 256

/** A model at a provider. */
interface OverrunTarget {
  readonly provider: string
  readonly model: string
}

/** Responses of a model with more output tokens than the request's limit. */
export interface Overrun {
  /** Number of responses since the first remembered one. */
  readonly count: number
  /** Time of the last one, in Unix milliseconds. */
  readonly at: number
  /** Limit and output of the last one, in tokens. */
  readonly limit: number
  readonly output: number
  /** Maximum output above the limit, in tokens. */
  readonly excess: number
  /** Maximum ratio of output to limit. */
  readonly ratio: number
  /** Maximum output, in tokens. */
  readonly largest: number
}

/**
 * Outputs above their limits, by provider and model. Later reservations are larger. In memory only: each process learns
 * by itself.
 */
export interface Overruns {
  /**
   * Records the output of a response. True = the model's first remembered overrun; false = a further one; undefined =
   * within the limit.
   */
  record(subject: OverrunTarget, limit: number, output: number): boolean | undefined
  /** Maximum output tokens to reserve for a limit. `most` is the model's known maximum output. */
  widened(subject: OverrunTarget, limit: number, most: number): number
  of(subject: OverrunTarget): Overrun | undefined
  /** Copies the overruns of a provider from a previous gateway. */
  copyFrom(before: Overruns, provider: string): void
  readonly known: ReadonlyMap<string, Overrun>
}

export function createOverruns(now: () => number = Date.now): Overruns {
  const known = new Map<string, Overrun>()
  // All endpoints of a provider count together.
  const keyOf = ({ provider, model }: OverrunTarget): string => `${provider}\n\n${model}`
  const of = (subject: OverrunTarget): Overrun | undefined => {
    if (known.size === 0) return undefined
    const key = keyOf(subject)
    const found = known.get(key)
    if (!found || now() - found.at < LIFETIME_MS) return found
    known.delete(key)
    return undefined
  }
  return {
    known,
    of,
    record(subject, limit, output) {
      if (!(output > limit)) return undefined
      const before = of(subject)
      const key = keyOf(subject)
      known.delete(key)
      const [oldest] = known.size >= REMEMBERED ? known.keys() : []
      if (oldest !== undefined) known.delete(oldest)
      known.set(key, {
        count: (before?.count ?? 0) + 1,
        at: now(),
        limit,
        output,
        excess: Math.max(before?.excess ?? 0, output - limit),
        ratio: Math.max(before?.ratio ?? 1, limit >= RATIO_FROM ? output / limit : 1),
        largest: Math.max(before?.largest ?? 0, output),
      })
      return before === undefined
    },
    widened(subject, limit, most) {
      const overrun = of(subject)
      if (!overrun) return limit
      const { excess, ratio, largest } = overrun
      const wide = Math.max(limit + excess, Math.ceil(limit * ratio))
      return Math.max(limit, Math.min(wide, Math.max(most, largest)))
    },
    copyFrom(before, provider) {
      for (const [key, overrun] of before.known) if (key.startsWith(`${provider}\n`)) known.set(key, overrun)
    },
  }
}
