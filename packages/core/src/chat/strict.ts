import { invalid } from '../errors.ts'
import { isHint, type Loss } from './loss.ts'

/** Most losses that are named in a message. */
const NAMED = 20

/**
 * Refuses losses: all of them, or those that are no hints.
 * @param where what can not carry them, as the beginning of a sentence: `Provider alpha`.
 * @throws HeadgateError `invalid-request` that names them.
 */
export function checkLosses(losses: readonly Loss[], strict: boolean | 'all', where: string): void {
  if (strict === false || losses.length === 0) return
  const lost = strict === 'all' ? losses : losses.filter((loss) => !isHint(loss))
  const [first] = lost
  if (!first) return
  const named = lost.slice(0, NAMED).map((loss) => `${loss.path} (${loss.kind}: ${loss.reason})`)
  throw invalid(first.path, `${where} can not carry all of the request, and headgate-strict forbids losses: ${named.join('; ')}.`)
}
