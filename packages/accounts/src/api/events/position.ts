/** Topics of events. */
export const TOPICS = ['requests', 'keys', 'budgets', 'prices', 'providers'] as const

export type EventTopic = (typeof TOPICS)[number]

/** Number of ended requests by the hour they began in. Late ones count for a past hour. */
export interface RequestCount {
  /** Start of the hour in Unix milliseconds. */
  readonly hour: number
  readonly inHour: number
  readonly inHourBefore: number
}

/** Position of a listener in each topic. Later changes are sent. */
export interface EventPosition {
  readonly requests?: RequestCount
  readonly keys?: number
  readonly budgets?: number
  readonly prices?: number
  readonly providers?: string
}

export const HOUR = 3_600_000
/** Maximum length of an encoded position in characters. */
const LONGEST = 1_000

/** Number of requests that ended since; undefined if unknown. */
export function requestsSince(now: RequestCount, before: RequestCount): number | undefined {
  const all = now.inHour + now.inHourBefore
  if (now.hour === before.hour) return all - before.inHour - before.inHourBefore
  return now.hour === before.hour + HOUR ? all - before.inHour : undefined
}

/** Encoded position for `Last-Event-ID`. */
export function positionText(position: EventPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Position sent by a browser. Invalid values result in an empty position. */
export function readPosition(text: string | undefined): EventPosition {
  if (text === undefined || text.length > LONGEST) return {}
  try {
    const { requests, keys, budgets, prices, providers }: EventPosition = Object(
      JSON.parse(Buffer.from(text, 'base64url').toString()),
    )
    const count = isCount(requests) ? { requests } : {}
    const number = (name: EventTopic, value: unknown) => (Number.isSafeInteger(value) ? { [name]: value } : {})
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
