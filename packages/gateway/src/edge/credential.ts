import { HeadgateError } from '@headgate/core/errors'
import { headerOf, type Incoming } from './sink.ts'

/**
 * API key of a request. `Authorization` wins over the headers of other vendors' clients: `x-api-key`, `x-goog-api-key`,
 * and Azure's `api-key`. A key in the query string is ignored.
 * @throws HeadgateError `bad-key` if no key was sent, or if `Authorization` is not a bearer token
 */
export function credentialOf(incoming: Incoming): string {
  const authorization = headerOf(incoming, 'authorization')
  if (authorization !== undefined) {
    const token = /^bearer\s+(\S+)$/i.exec(authorization)?.[1]
    if (token) return token
    throw new HeadgateError('bad-key', 'The Authorization header must be "Bearer <API_KEY>".')
  }
  const key = headerOf(incoming, 'x-api-key') ?? headerOf(incoming, 'x-goog-api-key') ?? headerOf(incoming, 'api-key')
  if (key !== undefined) return key
  throw new HeadgateError('bad-key', 'No API key was sent. Send it as "Authorization: Bearer <API_KEY>".')
}

/** Rejects expectations other than `100-continue`. */
export function checkExpectation(incoming: Incoming): void {
  const expected = incoming.headers['expect']
  if (expected === undefined || String(expected).toLowerCase() === '100-continue') return
  throw new HeadgateError('invalid-request', 'The Expect header must be "100-continue".', {
    param: 'expect',
    status: 417,
  })
}
