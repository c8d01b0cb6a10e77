import { isObject, type Json } from '@headgate/core/canonical'
import type { Incoming } from './sink.ts'

/** End user and session of a request, as the caller claims. */
export interface CallerClaims {
  endUser: string | undefined
  session: string | undefined
}

/** Headers with the id of a session, the most specific first. */
export const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'thread-id',
  'x-opencode-session',
  'x-session-affinity',
  'x-session-id',
  'helicone-session-id',
  'langfuse_session_id',
  'x-amp-thread-id',
] as const

/** Headers with the id of an end user. */
export const USER_HEADERS = [
  'x-litellm-customer-id',
  'x-litellm-end-user-id',
  'helicone-user-id',
  'langfuse_trace_user_id',
] as const

/** Fields of a body with the id of a session, in order. */
export const SESSION_FIELDS = [
  'session_id',
  'litellm_session_id',
  'metadata.session_id',
  'metadata.user_id',
  'prompt_cache_key',
  'conversation',
] as const

/** Fields of a body with the id of an end user, in order. */
export const USER_FIELDS = ['safety_identifier', 'user', 'metadata.user_id'] as const

const LONGEST = 128
/** No control characters, no invisible characters; spaces within are allowed. */
const VALUE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u
/** User id of coding agents that ends with the id of their session. */
const USER_WITH_SESSION = /^(.{1,200})_session_([\w-]{1,128})$/

/** Claims in the headers of a request. */
export function headerClaims({ headers }: Pick<Incoming, 'headers'>): CallerClaims {
  return { endUser: firstOf(headers, USER_HEADERS), session: firstOf(headers, SESSION_HEADERS) }
}

/** Adds claims in the body of a request. Claims in its headers win. */
export function addBodyClaims(claims: CallerClaims, body: Json): void {
  const metadata = isObject(body['metadata']) ? body['metadata'] : undefined
  const own = metadata && userOf(metadata['user_id'])
  const read = (field: (typeof SESSION_FIELDS)[number] | (typeof USER_FIELDS)[number], part: keyof CallerClaims) => {
    if (field === 'metadata.user_id') return own?.[part]
    if (field === 'metadata.session_id') return claim(metadata?.['session_id'])
    return field === 'conversation' ? conversationOf(body[field]) : claim(body[field])
  }
  for (let at = 0; claims.endUser === undefined && at < USER_FIELDS.length; at++)
    claims.endUser = read(USER_FIELDS[at] ?? 'user', 'endUser')
  for (let at = 0; claims.session === undefined && at < SESSION_FIELDS.length; at++)
    claims.session = read(SESSION_FIELDS[at] ?? 'session_id', 'session')
}

function firstOf(headers: Incoming['headers'], names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name]
    if (value === undefined) continue
    const found = claim(typeof value === 'string' ? value : value[0])
    if (found !== undefined) return found
  }
  return undefined
}

/** Value that can be stored; undefined for any other. */
function claim(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 4 * LONGEST) return undefined
  const text = value.trim()
  return text.length <= LONGEST && VALUE.test(text) ? text : undefined
}

function conversationOf(value: unknown): string | undefined {
  return claim(isObject(value) ? value['id'] : value)
}

/** User and session of `metadata.user_id`: a plain id, an id with a session at its end, or JSON with both. */
function userOf(value: unknown): CallerClaims {
  if (typeof value !== 'string' || value.length > 4 * LONGEST) return { endUser: undefined, session: undefined }
  if (value.startsWith('{')) {
    const parts = parsed(value)
    return {
      endUser: claim(parts?.['account_uuid']) ?? claim(parts?.['device_id']),
      session: claim(parts?.['session_id']),
    }
  }
  const [, user, session] = USER_WITH_SESSION.exec(value) ?? []
  return { endUser: claim(user?.replace(/_+$/, '') ?? value), session: claim(session) }
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
