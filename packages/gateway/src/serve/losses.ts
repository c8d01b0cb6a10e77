import { changed, checkLosses, dropped, type Loss } from '@headgate/core/canonical'
import type { Call } from '@headgate/core/contract'
import { headerOf } from '../edge/sink.ts'
import type { Context } from './context.ts'

/**
 * Collects the losses that an adapter declares. Repeated declarations, for another part or another attempt, count as
 * one.
 */
export function lossCollector(losses: Loss[]): Call['lose'] {
  return (path, reason, kind = 'dropped') => (kind === 'dropped' ? dropped : changed)(losses, path, reason)
}

/**
 * Strictness that the caller requests: `true` forbids losses that affect the response; `all` forbids lost hints as
 * well.
 */
export function strictOf({ incoming }: Pick<Context, 'incoming'>): false | true | 'all' {
  const strict = headerOf(incoming, 'headgate-strict')?.toLowerCase()
  if (strict === undefined || strict === 'false') return false
  return strict === 'all' ? 'all' : true
}

/**
 * Rejects losses that the caller's `headgate-strict` forbids; `who` would lose them.
 * @throws HeadgateError that names them
 */
export function checkStrict(context: Context, losses: readonly Loss[], who: string): void {
  if (losses.length === 0) return
  const strict = strictOf(context)
  if (strict)
    checkLosses(losses, strict, `${who} does not support all fields of the request, and headgate-strict forbids losses`)
}
