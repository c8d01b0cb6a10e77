import { isObject, type Json, number } from '../../chat/json.ts'
import type { Usage } from '../../chat/usage.ts'

/**
 * Reads a usage object, also of servers that name the details otherwise; undefined when it counts nothing.
 * `prompt_tokens` includes what was cached, `completion_tokens` includes reasoning, which is also put right where a server counts it apart.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const prompt = number(value['prompt_tokens']) ?? number(value['input_tokens'])
  const completion = number(value['completion_tokens']) ?? number(value['output_tokens'])
  const total = number(value['total_tokens'])
  if (prompt === undefined && completion === undefined && total === undefined) return undefined
  const input = prompt ?? 0
  const inputDetails = details(value, 'prompt')
  const outputDetails = details(value, 'completion')
  const reasoning = number(outputDetails['reasoning_tokens'])
  const output = completion ?? Math.max(0, (total ?? 0) - input)
  const apart = reasoning !== undefined && reasoning > 0 && total === input + output + reasoning
  const usage: Usage = { input, output: apart ? total - input : output }
  set(usage, 'cacheRead', cacheRead(value, inputDetails))
  set(usage, 'cacheWrite', number(inputDetails['cache_write_tokens']) ?? number(value['cache_creation_input_tokens']))
  set(usage, 'reasoning', reasoning)
  set(usage, 'audioInput', number(inputDetails['audio_tokens']))
  set(usage, 'audioOutput', number(outputDetails['audio_tokens']))
  set(usage, 'webSearches', isObject(value['server_tool_use']) ? number(value['server_tool_use']['web_search_requests']) : undefined)
  return usage
}

function details(usage: Json, side: 'prompt' | 'completion'): Json {
  const found = usage[`${side}_tokens_details`] ?? usage[`${side}_token_details`]
  return isObject(found) ? found : {}
}

function cacheRead(usage: Json, inputDetails: Json): number | undefined {
  return (
    number(inputDetails['cached_tokens']) ??
    number(usage['cached_tokens']) ??
    number(usage['prompt_cache_hit_tokens']) ??
    number(usage['num_cached_tokens']) ??
    number(usage['cache_read_input_tokens'])
  )
}

function set(usage: Usage, key: Exclude<keyof Usage, 'input' | 'output'>, value: number | undefined): void {
  if (value !== undefined) usage[key] = value
}

/** What is not known is left out, never zero. */
export function writeUsage(usage: Usage): Json {
  const out: Json = { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output }
  const input = known({ cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite, audio_tokens: usage.audioInput })
  const output = known({ reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput })
  if (input) out['prompt_tokens_details'] = input
  if (output) out['completion_tokens_details'] = output
  return out
}

function known(fields: Json): Json | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
