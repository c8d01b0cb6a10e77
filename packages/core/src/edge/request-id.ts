import { randomUUID } from 'node:crypto'

/** An id for one request: `req_` and 32 hexadecimal digits. A caller's own is never used. */
export function requestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`
}
