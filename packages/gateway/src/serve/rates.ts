import type { RateNames } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { rateHeaders } from '../edge/rate-headers.ts'
import type { UsageRow } from '../ports/ledger.ts'
import type { RateEstimate, RatePlace, RateRefusal } from '../ports/rates.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** What a request asks for, as far as it is bounded by rates. */
export interface Asking {
  /** As the caller named it; the engine of a search. */
  readonly model: string
  /** How the caller's format names rate limits; default that of chat completions. */
  readonly rateNames?: RateNames | undefined
  /** Absent: it has no tokens. */
  readonly estimate?: () => RateEstimate
}

const NUMBERS = new Intl.NumberFormat('en-US')
const SUBJECTS = {
  key: 'This key',
  member: 'The person who created this key',
  project: 'The project',
  model: 'All that is asked of',
} as const

function amountText(amount: number, unit: RateRefusal['unit']): string {
  const many = NUMBERS.format(amount)
  if (unit === 'concurrent') return `${many} ${amount === 1 ? 'request' : 'requests'} at a time`
  return `${many} ${amount === 1 ? unit.slice(0, -1) : unit} per minute`
}

function refused({ scope, id, unit, limit, asked, remaining, retryAfterMs }: RateRefusal): HeadgateError {
  const whose = scope === 'key' || scope === 'member' ? SUBJECTS[scope] : `${SUBJECTS[scope]} ${id.slice(0, 128)}`
  const has = `${whose} is limited to ${amountText(limit, unit)}`
  if (retryAfterMs === undefined)
    return new HeadgateError(
      'over-limit',
      `${has}, and this request takes about ${NUMBERS.format(asked)} ${unit} by itself, so that it is never served. Send less, or have the limit raised.`,
    )
  const left =
    unit === 'tokens'
      ? `; this request takes about ${NUMBERS.format(asked)}, and ${NUMBERS.format(remaining)} are left`
      : ''
  const wait = `Try again in ${NUMBERS.format(Math.ceil(retryAfterMs / 100) / 10)} s.`
  return new HeadgateError('over-limit', `${has}${left}. ${wait}`, { retryAfterMs })
}

function settle(context: Context, { rateNames }: Asking, answer: RatePlace | RateRefusal | undefined): void {
  if (!answer) return
  if ('leave' in answer) context.place = answer
  context.rateHeaders = rateHeaders(answer.states, rateNames)
  if (!('leave' in answer)) throw refused(answer)
  // Who has left while it was asked for leaves the place as well, when the request ends.
  if (context.stopped) throw context.stopped
}

/**
 * Takes the request's place within the rate limits, once, before anybody is asked. It is left when the request has
 * ended. A dry run asks nobody, and takes none.
 * @returns what has to be waited for; undefined when nothing. @throws HeadgateError `over-limit`.
 */
export function takePlace({ rateLimits }: Core, context: Context, asking: Asking): Promise<void> | undefined {
  if (!rateLimits || context.isDryRun) return undefined
  const { model, estimate } = asking
  const answer = rateLimits.take({ principal: context.principal, model, estimate })
  if (answer instanceof Promise) return answer.then((given) => settle(context, asking, given))
  settle(context, asking, answer)
  return undefined
}

/** How many tokens a request was: none where no upstream took it; undefined = nobody knows. */
function usedBy(row: UsageRow | undefined): number | undefined {
  if (!row) return 0
  const { usage, attempts } = row
  if (usage?.input !== undefined && usage.output !== undefined) return usage.input + usage.output
  return attempts.every(({ failure, cost }) => failure !== undefined && cost === 0) ? 0 : undefined
}

/** Gives the place of a request back that has ended. */
export function leavePlace(context: Context): void {
  context.place?.leave(usedBy(context.row))
}
