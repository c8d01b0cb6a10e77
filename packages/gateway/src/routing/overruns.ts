/** Models whose overruns are remembered. */
const REMEMBERED = 1_000
/** How long an overrun counts after the last one of its model, in milliseconds: a day. */
const LASTS = 86_400_000
/**
 * Ratios count for limits of so many tokens or more. Below, what a model adds to each answer is many times the limit.
 */
const RATIO_FROM = 256

/** A model at a provider. */
interface Subject {
  readonly provider: string
  readonly model: string
}

/** Responses of a model that had more output tokens than the limit that their requests had. */
export interface Overrun {
  /** Responses since the first one that is remembered. */
  readonly count: number
  /** Unix milliseconds of the last one. */
  readonly at: number
  /** Limit and output of the last one, in tokens. */
  readonly limit: number
  readonly output: number
  /** Most tokens by which an output exceeded its limit. */
  readonly excess: number
  /** Largest output, in parts of its limit. */
  readonly ratio: number
  /** Largest output, in tokens. */
  readonly largest: number
}

/**
 * Memory of outputs beyond their limits, by provider and model: later reservations are wider. In memory only: each
 * process learns for itself.
 */
export interface Overruns {
  /**
   * Notes the output of a response. Returns whether it is the first beyond its limit that is remembered of the model;
   * undefined = it is within.
   */
  note(subject: Subject, limit: number, output: number): boolean | undefined
  /** Most output tokens to reserve for a limit. `most`: what the model is known to write at most. */
  widened(subject: Subject, limit: number, most: number): number
  of(subject: Subject): Overrun | undefined
  /** Takes over what another one remembers of a provider. */
  take(before: Overruns, provider: string): void
  readonly known: ReadonlyMap<string, Overrun>
}

export function createOverruns(now: () => number = Date.now): Overruns {
  const known = new Map<string, Overrun>()
  const keyOf = ({ provider, model }: Subject): string => `${provider}\n${model}`
  const of = (subject: Subject): Overrun | undefined => {
    if (known.size === 0) return undefined
    const key = keyOf(subject)
    const found = known.get(key)
    if (!found || now() - found.at < LASTS) return found
    known.delete(key)
    return undefined
  }
  return {
    known,
    of,
    note(subject, limit, output) {
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
    take(before, provider) {
      for (const [key, overrun] of before.known) if (key.startsWith(`${provider}\n`)) known.set(key, overrun)
    },
  }
}
