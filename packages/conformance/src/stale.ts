import type { Credential } from '@headgate/core/provider'
import { parse } from './json.ts'
import type { Reply } from './upstream.ts'

/** Whether an answer says that what a credential leased is no longer taken: the request then goes out once more. */
export function isStale(credential: Credential, reply: Reply): boolean {
  if (credential.kind !== 'signed' || !credential.lease || reply.kind !== 'whole') return false
  const { status = 200, headers = {}, body } = reply
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return credential.stale?.({ status, headers, body: parse(text), bytes: Buffer.from(text) }) ?? status === 401
}
