import type { Loss } from '../canonical/loss.ts'
import { checkLosses } from '../canonical/strict.ts'
import { headerOf } from '../edge/sink.ts'
import type { Context } from './context.ts'

/** Refuses losses beyond what the caller's `headgate-strict` allows; `who` would lose them. @throws HeadgateError that names them. */
export function checkStrict({ incoming }: Context, losses: readonly Loss[], who: string): void {
  if (losses.length === 0) return
  const strict = headerOf(incoming, 'headgate-strict')?.toLowerCase()
  if (strict === undefined || strict === 'false') return
  checkLosses(losses, strict === 'all' ? 'all' : true, `${who} can not carry all of the request, and headgate-strict forbids losses`)
}
