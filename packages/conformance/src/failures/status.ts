import type { ErrorKind } from '@headgate/gateway'
import type { Failure } from './failure.ts'

const KINDS: readonly (readonly [status: number, kind: ErrorKind])[] = [
  [400, 'invalid-request'],
  [401, 'our-credential'],
  [403, 'our-credential'],
  [404, 'unknown-model'],
  [429, 'rate-limited'],
  [500, 'upstream'],
  [503, 'overloaded'],
]

/** Failures that only the status identifies. */
export function failuresByStatus(body: (status: number, message: string) => object): Failure[] {
  const plain = KINDS.map(([status, kind]): Failure => {
    return {
      name: `${status}`,
      kind,
      reply: { kind: 'whole', status, body: body(status, `This response has status ${status}.`) },
    }
  })
  const waiting: Failure = {
    name: '429 with retry-after',
    kind: 'rate-limited',
    retryAfter: 30,
    reply: { kind: 'whole', status: 429, headers: { 'retry-after': '30' }, body: body(429, 'Too many requests.') },
  }
  return [...plain, waiting]
}
