import type { RateNames } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { rateHeaders } from '../edge/rate-headers.ts'
import type { UsageRow } from '../ports/ledger.ts'
import type { RateEstimate, RateRefusal, RateSlot } from '../ports/rates.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** Facts about a request that rate limits need. */
export interface RateInput {
  /** The caller's name of the model, or the search engine. */
  readonly model: string
  /** Names of rate limit headers in the caller's format; default: those in chat completions. */
  readonly rateNames?: RateNames | undefined
  /** Token estimate; absent if the request has no tokens. */
  readonly estimate?: (() => RateEstimate) | undefined
}

const NUMBERS = new Intl.NumberFormat('en-US')
const SUBJECTS = {
  key: 'This key',
  member: 'The person who created this key',
  project: 'The project',
  model: 'The model',
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
      `${has}. This request needs about ${NUMBERS.format(asked)} ${unit}, so it can never be served. Reduce the request, or ask for a higher limit.`,
    )
  const left =
    unit === 'tokens'
      ? `; this request needs about ${NUMBERS.format(asked)}, and ${NUMBERS.format(remaining)} are left`
      : ''
  const wait = `Try again in ${NUMBERS.format(Math.ceil(retryAfterMs / 100) / 10)} s.`
  return new HeadgateError('over-limit', `${has}${left}. ${wait}`, { retryAfterMs })
}

function settle(context: Context, { rateNames }: RateInput, answer: RateSlot | RateRefusal | undefined): void {
  if (!answer) return
  if ('leave' in answer) context.slot = answer
  context.rateHeaders = rateHeaders(answer.states, rateNames)
  if (!('leave' in answer)) {
    context.refusedBy = { kind: 'rate-limit', id: `${answer.scope} ${answer.id}` }
    throw refused(answer)
  }
  // If the caller left during the check, the slot is freed at the end of the request.
  if (context.stopped) throw context.stopped
}

/**
 * Takes the request's slot within the rate limits, once, before any provider is called. It is freed when the request
 * has ended. A dry run takes no slot.
 * @returns a promise to wait for; undefined = nothing
 * @throws HeadgateError `over-limit`
 */
export function takeSlot({ rateLimits }: Core, context: Context, asking: RateInput): Promise<void> | undefined {
  if (!rateLimits || context.isDryRun) return undefined
  const { model, estimate } = asking
  const answer = rateLimits.take({ principal: context.principal, model, estimate })
  if (answer instanceof Promise) return answer.then((given) => settle(context, asking, given))
  settle(context, asking, answer)
  return undefined
}

/** Tokens that a request used: 0 if no upstream accepted it; undefined = unknown. */
function usedBy(row: UsageRow | undefined): number | undefined {
  if (!row) return 0
  const { usage, attempts } = row
  if (usage?.input !== undefined && usage.output !== undefined) return usage.input + usage.output
  return attempts.every(({ failure, cost }) => failure !== undefined && cost === 0) ? 0 : undefined
}

/** Frees the slot of a request that has ended. */
export function freeSlot(context: Context): void {
  context.slot?.leave(usedBy(context.row))
}
