import { HeadgateError } from '@headgate/gateway/ports'
import type { Caller } from '../roles/caller.ts'
import type { ManagementParts } from './parts.ts'

/** Maximum length of `Idempotency-Key` in characters. */
const LONGEST = 255

/** Request that may be a repetition. */
export interface IdempotentRequest {
  readonly caller: Caller
  readonly header: string | null
  /** Identity of the request: method, address and body. */
  readonly request: string
  /** Response fields that are not stored. */
  readonly secrets: readonly string[]
}

/**
 * Executes a request once per `Idempotency-Key`. Repetitions get the stored response without secrets. Failures are not
 * stored and can be retried.
 */
export async function answerIdempotently(
  { accounts }: ManagementParts,
  once: IdempotentRequest,
  answer: () => Promise<Response>,
): Promise<Response> {
  const { caller, header, request, secrets } = once
  if (header === null || (caller.kind !== 'person' && caller.kind !== 'key')) return answer()
  if (!/^[\x21-\x7e]+$/.test(header) || header.length > LONGEST)
    throw new HeadgateError(
      'invalid-request',
      `\`Idempotency-Key\` must have 1 to ${LONGEST} visible ASCII characters.`,
      {
        param: 'Idempotency-Key',
      },
    )
  const known = { caller: `${caller.kind} ${caller.id}`, key: header }
  const before = await accounts.beginOnce({ ...known, request })
  if (before) return replayOf(before)
  let response: Response
  try {
    response = await answer()
  } catch (error) {
    await accounts.endOnce(known)
    throw error
  }
  const [body, etag] = [await response.clone().text(), response.headers.get('etag')]
  await accounts.endOnce(known, {
    status: response.status,
    body: without(body, secrets),
    ...(etag !== null && { etag }),
  })
  return response
}

function replayOf({
  status,
  body,
  etag,
}: {
  readonly status: number
  readonly body: string
  readonly etag?: string | undefined
}): Response {
  const headers = new Headers({ 'idempotent-replayed': 'true' })
  if (etag !== undefined) headers.set('etag', etag)
  if (body !== '') headers.set('content-type', 'application/json')
  return new Response(body === '' ? null : body, { status, headers })
}

function without(body: string, secrets: readonly string[]): string {
  if (body === '' || secrets.length === 0) return body
  const kept = Object.entries(JSON.parse(body)).filter(([name]) => !secrets.includes(name))
  return JSON.stringify(Object.fromEntries(kept))
}
