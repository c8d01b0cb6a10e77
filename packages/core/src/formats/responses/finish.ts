import { endOf, type SeenBlocks } from '../../canonical/finish.ts'
import { type Json, object, text } from '../../canonical/json.ts'
import type { Finish, FinishReason } from '../../canonical/response.ts'

/** Reasons of incomplete responses. Unknown reasons are treated like a normal finish. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['max_output_tokens', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
  ['max_messages', 'pause'],
])

/** Finish of a response, from its status and the reason of incompleteness. A refusal is always `content-filter`. */
export function readFinish(response: Json, seen: SeenBlocks): Finish {
  const why = text(object(response['incomplete_details'])?.['reason'])
  const reason = REASONS.get(why ?? '') ?? endOf(seen)
  const raw = why ?? text(response['status'])
  return raw === undefined ? { reason } : { reason, raw }
}

/** Status of a response. A response with a refusal is complete, a filtered response is not. */
export function writeFinish(finish: Finish, refused: boolean): { status: string; incomplete_details: Json | null } {
  const why = reasonOf(finish, refused)
  return why === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason: why } }
}

function reasonOf({ reason }: Finish, refused: boolean): string | undefined {
  if (reason === 'length') return 'max_output_tokens'
  return reason === 'content-filter' && !refused ? 'content_filter' : undefined
}
