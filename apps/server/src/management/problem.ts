import { STATUS_CODES } from 'node:http'
import type { HeadgateError } from '@headgate/gateway'

/** A failure as RFC 9457 has it. */
export function problem({
  status,
  message,
  retryAfterMs,
}: Pick<HeadgateError, 'status' | 'message' | 'retryAfterMs'>): Response {
  const headers = {
    'content-type': 'application/problem+json',
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
  }
  return new Response(JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail: message }), {
    status,
    headers,
  })
}
