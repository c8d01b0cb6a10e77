import type { Credential } from '@headgate/core/provider'
import { parse } from './json.ts'
import type { UpstreamReply } from './upstream.ts'

/** Tells if a response rejects a leased credential: the gateway then repeats the request once. */
export function isStale(credential: Credential, reply: UpstreamReply): boolean {
  if (credential.kind !== 'signed' || !credential.lease || reply.kind !== 'whole') return false
  const { status = 200, headers = {}, body } = reply
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return credential.stale?.({ status, headers, body: parse(text), bytes: Buffer.from(text) }) ?? status === 401
}
