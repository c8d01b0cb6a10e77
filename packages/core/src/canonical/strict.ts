import { invalid } from '../errors.ts'
import { isHint, type Loss } from './loss.ts'

/** Most losses that are named in a message. */
const NAMED = 20

/**
 * Refuses losses: all of them, or those that are no hints.
 * @param refusal what is said before they are named, without a colon.
 * @throws HeadgateError `invalid-request` that names them.
 */
export function checkLosses(losses: readonly Loss[], strict: boolean | 'all', refusal: string): void {
  if (strict === false || losses.length === 0) return
  const lost = strict === 'all' ? losses : losses.filter((loss) => !isHint(loss))
  const [first] = lost
  if (!first) return
  const named = lost.slice(0, NAMED).map((loss) => `${loss.path} (${loss.kind}: ${loss.reason})`)
  throw invalid(first.path, `${refusal}: ${named.join('; ')}.`)
}
