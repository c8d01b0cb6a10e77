import {
  type HttpResponse,
  type Json,
  object,
  objects,
  refusalIn,
  text,
  type UpstreamError,
} from '@headgate/core/provider'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Clock of the vendor's quotas of a day. */
const CLOCK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
})

/**
 * Reads rejections by the vendor's filters, which only their message distinguishes from other errors with status 400,
 * and exhausted quotas of a day. The `retryDelay` of a quota of a day is often some seconds, but the quota lasts until
 * midnight in California. A quota with the limit 0 does not reset.
 *
 * @see https://ai.google.dev/gemini-api/docs/rate-limits
 */
export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const whole = object(Array.isArray(body) ? body[0] : body)
  const { message: given, details } = object(whole?.['error']) ?? {}
  const message = text(given)
  if (message === undefined) return undefined
  if (status === 400 && refusalIn(message)) return { kind: 'content-policy', message }
  const wait = status === 429 ? quotaWait(message, objects(details)) : undefined
  return wait === undefined ? undefined : { kind: 'rate-limited', message, retryAfterMs: wait }
}

/** Milliseconds until a quota of a day resets. Undefined for other quotas, and if the vendor reports the time. */
function quotaWait(message: string, details: readonly Json[]): number | undefined {
  if (/\blimit: 0(?![.\d])/.test(message)) return DAY
  const ids = details.flatMap(({ violations }) => objects(violations)).map(({ quotaId }) => text(quotaId) ?? '')
  const isLong = details.some(({ retryDelay }) => Number.parseFloat(text(retryDelay) ?? '') >= HOUR / 1000)
  return !isLong && ids.some((id) => id.includes('PerDay')) ? untilMidnight(Date.now()) : undefined
}

/** Milliseconds from midnight to a time on the vendor's clock. */
function timeOfDay(unix: number): number {
  const parts = Object.fromEntries(CLOCK.formatToParts(unix).map(({ type, value }) => [type, Number(value)]))
  const { hour = 0, minute = 0, second = 0 } = parts
  return ((hour * 60 + minute) * 60 + second) * 1000 + (unix % 1000)
}

/** Milliseconds until the vendor's midnight, also on the two days of a year that do not have 24 hours. */
function untilMidnight(unix: number): number {
  const left = DAY - timeOfDay(unix)
  const there = timeOfDay(unix + left)
  return left - (there > DAY / 2 ? there - DAY : there)
}
