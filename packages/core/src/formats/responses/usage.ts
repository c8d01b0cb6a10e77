import { compact, isObject, type Json, number, object } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { count, inUnits, tierOf, type Usage, uncounted } from '../../canonical/usage.ts'
import { searchesIn } from './hosted.ts'

/**
 * Reads the usage of a response. Undefined if it has no counts. `input_tokens` includes cached tokens and
 * `output_tokens` reasoning; servers that count reasoning separately are corrected.
 * @param response response with the number of searches and the service tier
 */
export function readUsage(response: Json): Usage | undefined {
  const value = response['usage']
  if (!isObject(value)) return undefined
  const input = count(value['input_tokens']) ?? count(value['prompt_tokens'])
  const output = count(value['output_tokens']) ?? count(value['completion_tokens'])
  const total = count(value['total_tokens'])
  if (input === undefined && output === undefined && total === undefined) return undefined
  const [given, made] = [input ?? 0, output ?? 0]
  const inputDetails = object(value['input_tokens_details']) ?? {}
  const outputDetails = object(value['output_tokens_details']) ?? {}
  const reasoning = count(outputDetails['reasoning_tokens'])
  const isApart = reasoning !== undefined && reasoning > 0 && total === given + made + reasoning
  return compact<Usage>({
    input: given,
    output: isApart ? made + reasoning : made,
    cacheRead: count(inputDetails['cached_tokens']),
    cacheWrite: count(inputDetails['cache_write_tokens']),
    reasoning,
    tier: tierOf(response['service_tier']),
    units: inUnits('searches', searches(response)),
  })
}

/** Number of searches as the vendor reports it, else the number of calls. */
function searches(response: Json): number | undefined {
  const counted = number(object(object(response['tool_usage'])?.['web_search'])?.['num_requests'])
  return (counted ?? searchesIn(response['output'])) || undefined
}

const COUNTED: ReadonlySet<string> = new Set([
  ...['input_tokens', 'output_tokens', 'total_tokens', 'prompt_tokens', 'completion_tokens'],
  ...['input_tokens_details', 'output_tokens_details'],
])
const INPUT: ReadonlySet<string> = new Set(['cached_tokens', 'cache_write_tokens'])
const OUTPUT: ReadonlySet<string> = new Set(['reasoning_tokens'])

/** Adds uncounted fields of usage to `fields`. */
export function otherCounts(value: unknown, fields: Json | undefined): Json | undefined {
  if (!isObject(value)) return fields
  const ofInput = uncounted(object(value['input_tokens_details']) ?? {}, INPUT, fields, 'usage.input_tokens_details.')
  const ofBoth = uncounted(
    object(value['output_tokens_details']) ?? {},
    OUTPUT,
    ofInput,
    'usage.output_tokens_details.',
  )
  return uncounted(value, COUNTED, ofBoth, 'usage.')
}

/** Usage of a response. All fields are required, so unknown values are zero. Searches are visible as calls. */
export function writeUsage(usage: Usage, losses: Loss[]): Json {
  for (const field of ['audioInput', 'audioCached', 'audioOutput'] as const)
    if (usage[field]) dropped(losses, `usage.${field}`, 'usage has no field for audio tokens')
  for (const field of ['imageInput', 'imageOutput'] as const)
    if (usage[field]) dropped(losses, `usage.${field}`, 'usage has no field for image tokens')
  if (usage.cacheWriteLong) dropped(losses, 'usage.cacheWriteLong', 'usage has no field for the cache lifetime')
  if (usage.units?.['searches']) dropped(losses, 'usage.searches', 'usage has no field for searches')
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.input + usage.output,
  }
}
