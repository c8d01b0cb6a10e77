import { isObject } from '@headgate/core/canonical'
import { headerOf, type Incoming } from '../../edge/sink.ts'
import { BLOCK_BYTES, type Prefix, prefixOf } from '../../routing/affinity/prefix.ts'
import type { ChatCall } from './chat-call.ts'

/** Headers with the id of a session, which agents send. */
const SESSION_HEADERS = ['headgate-session', 'x-session-id', 'session_id', 'session-id'] as const

/** Session id of a request, from its headers or its body; undefined = none. */
function sessionOf({ headers }: Incoming, { body, fields }: ChatCall): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name] === undefined ? undefined : headerOf({ headers }, name)
    if (value !== undefined) return value
  }
  if (fields?.session !== undefined) return fields.session
  const { prompt_cache_key: key, metadata } = body.json
  if (typeof key === 'string' && key !== '') return key
  // Anthropic's agents send the session in the id of the user.
  const user = isObject(metadata) ? metadata['user_id'] : undefined
  return typeof user === 'string' && user !== '' ? user : undefined
}

/** The prompt of a body in the order of vendors' caches: the bytes of its fields, and its turns without the last bracket. */
function* promptOf({ body: { bytes, spans }, format }: ChatCall): Generator<Uint8Array> {
  for (const name of format.promptFields) {
    const span = spans.get(name)
    if (span) yield bytes.subarray(span.start, span.end)
  }
  const turns = spans.get(format.turns)
  if (turns) yield bytes.subarray(turns.start, turns.end - 1)
}

/** Hashes of the beginning of a conversation; undefined if it is too short for prompt caches. */
export function prefixOfChat(chat: ChatCall, tenantKey: () => Buffer): Prefix | undefined {
  if (chat.body.bytes.length < BLOCK_BYTES) return undefined
  return prefixOf(tenantKey(), promptOf(chat), sessionOf(chat.context.incoming, chat))
}
