import { HeadgateError } from '@headgate/core/errors'
import { headerOf, type Incoming } from './sink.ts'

/**
 * The key that a caller sent. `Authorization` wins over the headers of other vendors' clients (`x-api-key`,
 * `x-goog-api-key`, Azure's
 * `api-key`); a key in a query string never counts.
 * @throws HeadgateError `bad-key` when none was sent, or not as a bearer token.
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

/** Refuses what a caller expects beside being told to send its body. */
export function checkExpectation(incoming: Incoming): void {
  const expected = incoming.headers['expect']
  if (expected === undefined || String(expected).toLowerCase() === '100-continue') return
  throw new HeadgateError('invalid-request', 'The Expect header can be "100-continue" and nothing else.', {
    param: 'expect',
    status: 417,
  })
}
