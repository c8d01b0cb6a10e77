import { compact, isObject, type Json, object } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { count, inUnits, tierOf, type Usage, uncounted } from '../../canonical/usage.ts'

/**
 * Reads usage, including details under the names of other servers. Undefined if it has no counts. `prompt_tokens`
 * includes cached tokens and `completion_tokens` reasoning; servers that count reasoning separately are corrected.
 * @param tier service tier of the response.
 */
export function readUsage(value: unknown, tier?: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const prompt = count(value['prompt_tokens']) ?? count(value['input_tokens'])
  const completion = count(value['completion_tokens']) ?? count(value['output_tokens'])
  const total = count(value['total_tokens'])
  if (prompt === undefined && completion === undefined && total === undefined) return undefined
  const input = prompt ?? 0
  const inputDetails = details(value, 'prompt')
  const outputDetails = details(value, 'completion')
  const reasoning = count(outputDetails['reasoning_tokens'])
  const output = completion ?? Math.max(0, (total ?? 0) - input)
  const apart = reasoning !== undefined && reasoning > 0 && total === input + output + reasoning
  return compact<Usage>({
    input,
    output: apart ? total - input : output,
    cacheRead: cacheRead(value, inputDetails),
    cacheWrite: count(inputDetails['cache_write_tokens']) ?? count(value['cache_creation_input_tokens']),
    reasoning,
    audioInput: count(inputDetails['audio_tokens']),
    audioOutput: count(outputDetails['audio_tokens']),
    imageInput: count(inputDetails['image_tokens']),
    imageOutput: count(outputDetails['image_tokens']),
    tier: tierOf(tier ?? value['service_tier']),
    units: inUnits('searches', count(object(value['server_tool_use'])?.['web_search_requests'])),
  })
}

function details(usage: Json, side: 'prompt' | 'completion'): Json {
  return object(usage[`${side}_tokens_details`] ?? usage[`${side}_token_details`]) ?? {}
}

function cacheRead(usage: Json, inputDetails: Json): number | undefined {
  return (
    count(inputDetails['cached_tokens']) ??
    count(usage['cached_tokens']) ??
    count(usage['prompt_cache_hit_tokens']) ??
    count(usage['num_cached_tokens']) ??
    count(usage['cache_read_input_tokens'])
  )
}

const COUNTED: ReadonlySet<string> = new Set([
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens', 'server_tool_use'],
  ...['prompt_tokens_details', 'completion_tokens_details', 'prompt_token_details', 'completion_token_details'],
  ...['cached_tokens', 'prompt_cache_hit_tokens', 'prompt_cache_miss_tokens', 'num_cached_tokens'],
  ...['cache_read_input_tokens', 'cache_creation_input_tokens'],
])
const PROMPT: ReadonlySet<string> = new Set(['cached_tokens', 'cache_write_tokens', 'audio_tokens', 'image_tokens'])
const COMPLETION: ReadonlySet<string> = new Set(['reasoning_tokens', 'audio_tokens', 'image_tokens'])

/** Adds uncounted fields of usage to `fields`. */
export function otherCounts(value: unknown, fields: Json | undefined): Json | undefined {
  if (!isObject(value)) return fields
  const ofPrompt = uncounted(details(value, 'prompt'), PROMPT, fields, 'usage.prompt_tokens_details.')
  const ofBoth = uncounted(details(value, 'completion'), COMPLETION, ofPrompt, 'usage.completion_tokens_details.')
  return uncounted(value, COUNTED, ofBoth, 'usage.')
}

/** Usage of a response. Unknown values are left out, never zero. */
export function writeUsage(usage: Usage, losses: Loss[]): Json {
  if (usage.units?.['searches']) dropped(losses, 'usage.searches', 'usage has no field for searches')
  if (usage.cacheWriteLong) dropped(losses, 'usage.cacheWriteLong', 'usage has no field for the cache lifetime')
  if (usage.audioCached) dropped(losses, 'usage.audioCached', 'usage has no field for cached audio')
  const input = compact<Json>({
    cached_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    audio_tokens: usage.audioInput,
    image_tokens: usage.imageInput,
  })
  const output = compact<Json>({
    reasoning_tokens: usage.reasoning,
    audio_tokens: usage.audioOutput,
    image_tokens: usage.imageOutput,
  })
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    ...(isEmpty(input) ? {} : { prompt_tokens_details: input }),
    ...(isEmpty(output) ? {} : { completion_tokens_details: output }),
  }
}

function isEmpty(object: Json): boolean {
  return Object.keys(object).length === 0
}
