import { invalid } from '../errors.ts'
import { isHint, type Loss } from './loss.ts'

/** Maximum losses in a message. */
const NAMED = 20

/**
 * Rejects losses: all with `all`, otherwise all except hints.
 * @param refusal start of the message, without a colon.
 * @throws HeadgateError of kind `invalid-request` with the losses.
 */
export function checkLosses(losses: readonly Loss[], strict: boolean | 'all', refusal: string): void {
  if (strict === false || losses.length === 0) return
  const lost = strict === 'all' ? losses : losses.filter((loss) => !isHint(loss))
  const [first] = lost
  if (!first) return
  const named = lost.slice(0, NAMED).map((loss) => `${loss.path} (${loss.kind}: ${loss.reason})`)
  throw invalid(first.path, `${refusal}: ${named.join('; ')}.`)
}
