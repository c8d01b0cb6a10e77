import type { SeenBlocks } from '../../canonical/finish.ts'
import type { Frame, ResponseSummary, UsageReader } from '../../canonical/format.ts'
import { isObject, type Json, object, objects, parse, text } from '../../canonical/json.ts'
import { BROKEN } from '../../canonical/stream-failure.ts'
import type { UpstreamError } from '../../errors.ts'
import { readFinish } from './finish.ts'
import { errorIn } from './stream-read.ts'
import { readUsage } from './usage.ts'

/**
 * Matches frames with an audio id, usage, a finish reason, an error, or the end. Quotes in content are escaped, so
 * content does not match.
 */
export const relevantFrames =
  /"usage"\s*:\s*\{|"finish_reason"\s*:\s*"[^"]|"error"\s*:\s*[^n\s]|^event:\s*error|^data:\s*\[DONE\]|"object"\s*:\s*"error"|"detail"\s*:|"audio"\s*:\s*\{\s*"id"/m

/** Usage and finish of a whole response. */
export function summarize(body: Json): ResponseSummary {
  const out: ResponseSummary = {}
  const choices = objects(body['choices'])
  note(out, body, choices, body['service_tier'])
  const reason = text(choices[0]?.['finish_reason'])
  if (reason) out.finish = readFinish(reason, seenIn(object(choices[0]?.['message']) ?? {}))
  return out
}

function seenIn(message: Json): SeenBlocks {
  return {
    calls: objects(message['tool_calls']).length > 0 || isObject(message['function_call']),
    refusal: Boolean(text(message['refusal'])),
  }
}

/** Records id, model, usage and audio ids. `tier` is the service tier. */
function note(out: ResponseSummary, body: Json, choices: readonly Json[], tier: unknown): void {
  const id = text(body['id'])
  const model = text(body['model'])
  const usage = readUsage(body['usage'], tier) ?? readUsage(choices[0]?.['usage'], tier)
  if (id && out.id === undefined) out.id = id
  if (model && out.model === undefined) out.model = model
  if (usage) out.usage = usage
  for (const choice of choices) {
    const sound = object(object(choice['message'] ?? choice['delta'])?.['audio'])?.['id']
    if (typeof sound === 'string' && !out.items?.includes(sound)) out.items = [...(out.items ?? []), sound]
  }
}

/**
 * Usage reader of a stream that bypasses translation. After the commit point, frames that do not match {@link
 * relevantFrames} may be skipped.
 */
export function usageReader(): UsageReader {
  const out: ResponseSummary = {}
  let error: UpstreamError | undefined
  let done = false
  let tier: unknown

  const read = (frame: Frame): 'content' | 'idle' | 'error' | 'end' => {
    const data = frame.data.trim()
    if (data === '') return 'idle'
    if (data.startsWith('[DONE]')) {
      done = true
      return 'end'
    }
    const chunk = parse(data)
    error = errorIn(frame, chunk) ?? (isObject(chunk) ? undefined : BROKEN)
    if (error || !isObject(chunk)) return 'error'
    const choices = objects(chunk['choices'])
    tier = chunk['service_tier'] ?? tier
    note(out, chunk, choices, tier)
    for (const choice of choices) {
      const reason = text(choice['finish_reason'])
      if (reason) out.finish = readFinish(reason, { calls: /tool|function/.test(reason), refusal: false })
    }
    return 'content'
  }

  return {
    push: (frame) => (error ? 'error' : read(frame)),
    summary: out,
    get error() {
      return error
    },
    get complete() {
      return error === undefined && (done || out.finish !== undefined)
    },
  }
}
