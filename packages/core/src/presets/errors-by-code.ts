import { object, objects, text } from '../canonical/json.ts'
import type { Provider } from '../contract/provider.ts'
import type { ErrorKind } from '../errors.ts'

/**
 * Reader of errors whose `code` or `type` is known, in `error`, in the first of `errors`, or at the top level. Core
 * reads all other errors.
 * @example readError: errorsByCode({ insufficient_balance: 'our-quota', 1301: 'content-policy' })
 */
export function errorsByCode(kinds: Readonly<Record<string, ErrorKind>>): NonNullable<Provider['readError']> {
  return ({ status, body }) => {
    const whole = object(body)
    const error = object(whole?.['error']) ?? objects(whole?.['errors'])[0] ?? whole
    if (status < 400 || !error) return undefined
    const message = text(error['message']) ?? text(error['msg']) ?? `The provider responded with status ${status}.`
    for (const word of [error['code'], error['type']]) {
      const kind =
        (typeof word === 'string' || typeof word === 'number') && Object.hasOwn(kinds, word) ? kinds[word] : undefined
      if (kind) return { kind, message }
    }
    return undefined
  }
}
