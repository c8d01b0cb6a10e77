/** What may be heard of. */
export const TOPICS = ['requests', 'keys', 'budgets', 'prices', 'providers'] as const

export type Topic = (typeof TOPICS)[number]

/** How many requests have ended, by the hours that they began in: late ones count for an hour that is over. */
export interface RequestCount {
  /** The start of an hour, Unix milliseconds. */
  readonly hour: number
  readonly inHour: number
  readonly inHourBefore: number
}

/** How much of each topic somebody has heard: what has gone on since is told. */
export interface Position {
  readonly requests?: RequestCount
  readonly keys?: number
  readonly budgets?: number
  readonly prices?: number
  readonly providers?: string
}

export const HOUR = 3_600_000
/** Longest text that may be one, in characters. */
const LONGEST = 1_000

/** Requests that have ended since; undefined where nobody knows how many. */
export function requestsSince(now: RequestCount, before: RequestCount): number | undefined {
  const all = now.inHour + now.inHourBefore
  if (now.hour === before.hour) return all - before.inHour - before.inHourBefore
  return now.hour === before.hour + HOUR ? all - before.inHour : undefined
}

/** A position as browsers hold it: `Last-Event-ID`. */
export function positionText(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** What a browser says that it has heard; what is none is nothing. */
export function readPosition(text: string | undefined): Position {
  if (text === undefined || text.length > LONGEST) return {}
  try {
    const { requests, keys, budgets, prices, providers }: Position = Object(
      JSON.parse(Buffer.from(text, 'base64url').toString()),
    )
    const count = isCount(requests) ? { requests } : {}
    const number = (name: Topic, value: unknown) => (Number.isSafeInteger(value) ? { [name]: value } : {})
    return {
      ...count,
      ...number('keys', keys),
      ...number('budgets', budgets),
      ...number('prices', prices),
      ...(typeof providers === 'string' && { providers }),
    }
  } catch {
    return {}
  }
}

function isCount(value: unknown): value is RequestCount {
  const { hour, inHour, inHourBefore }: Partial<RequestCount> = Object(value)
  return [hour, inHour, inHourBefore].every(Number.isSafeInteger)
}
