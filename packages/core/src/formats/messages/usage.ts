import { compact, isObject, type Json, object, objects, text } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { count, inUnits, tierOf, type Usage, uncounted, writable } from '../../canonical/usage.ts'

/**
 * Reads usage. The vendor's `input_tokens` excludes cache reads and writes, and `output_tokens` includes thinking.
 * Undefined without counts.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const { input, output } = iterated(value)
  const cacheRead = count(value['cache_read_input_tokens'])
  const cacheWrite = count(value['cache_creation_input_tokens'])
  if (input === undefined && output === undefined && cacheRead === undefined && cacheWrite === undefined)
    return undefined
  return compact<Usage>({
    input: (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0),
    output: output ?? 0,
    cacheRead,
    cacheWrite,
    cacheWriteLong: count(object(value['cache_creation'])?.['ephemeral_1h_input_tokens']),
    reasoning: count(object(value['output_tokens_details'])?.['thinking_tokens']),
    tier: tierIn(value),
    units: inUnits('searches', count(object(value['server_tool_use'])?.['web_search_requests'])),
  })
}

/** Tier, speed and region of a response, if their price may differ. Several are joined: `batch+us`. */
function tierIn(usage: Json): string | undefined {
  const unusual = Object.keys(USUAL).filter((key) => text(usage[key]) !== undefined && !isUsual(key, usage[key]))
  return unusual.length === 0 ? undefined : tierOf(unusual.map((key) => text(usage[key])).join('+'))
}

function isUsual(key: string, value: unknown): boolean {
  return (
    value === USUAL[key] ||
    (key === 'inference_geo' && value === 'global') ||
    (key === 'service_tier' && tierOf(value) === undefined)
  )
}

/**
 * Total input and output. If a response took several runs of the model, the top level excludes compaction runs. If a
 * fallback model responded, the top level is correct.
 */
function iterated(usage: Json): { input: number | undefined; output: number | undefined } {
  const runs = objects(usage['iterations'])
  const own = runs.filter((run) => run['type'] === 'compaction' || run['type'] === 'message')
  if (own.length === 0 || runs.some((run) => run['type'] === 'fallback_message')) {
    return { input: count(usage['input_tokens']), output: count(usage['output_tokens']) }
  }
  const sum = (key: string): number => own.reduce((total, run) => total + (count(run[key]) ?? 0), 0)
  return { input: sum('input_tokens'), output: sum('output_tokens') }
}

/**
 * Merges the usage of two events, in `before` if it exists. Values are totals, so non-null values replace earlier ones.
 */
export function laterUsage(before: Json | undefined, after: unknown): Json | undefined {
  if (!isObject(after)) return before
  const merged: Json = before ?? {}
  for (const [key, value] of Object.entries(after)) if (value !== null && value !== undefined) merged[key] = value
  return merged
}

/** Usage in the vendor's shape. Unknown values are left out, except the two counts that clients add up. */
export function writeUsage(given: Usage | undefined, losses: Loss[]): Json {
  const usage = writable(given, losses)
  if (!usage) return { input_tokens: 0, output_tokens: 0 }
  for (const field of ['audioInput', 'audioCached', 'audioOutput'] as const)
    if (usage[field]) dropped(losses, `usage.${field}`, 'usage has no field for audio tokens')
  for (const field of ['imageInput', 'imageOutput'] as const)
    if (usage[field]) dropped(losses, `usage.${field}`, 'usage has no field for image tokens')
  const cached = (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)
  const out: Json = { input_tokens: Math.max(0, usage.input - cached), output_tokens: usage.output }
  if (usage.cacheWrite !== undefined) out['cache_creation_input_tokens'] = usage.cacheWrite
  if (usage.cacheRead !== undefined) out['cache_read_input_tokens'] = usage.cacheRead
  if (usage.cacheWriteLong !== undefined) {
    const short = Math.max(0, (usage.cacheWrite ?? 0) - usage.cacheWriteLong)
    out['cache_creation'] = { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: usage.cacheWriteLong }
  }
  if (usage.reasoning !== undefined) out['output_tokens_details'] = { thinking_tokens: usage.reasoning }
  const searches = usage.units?.['searches']
  if (searches !== undefined) out['server_tool_use'] = { web_search_requests: searches, web_fetch_requests: 0 }
  return out
}

const USUAL: Readonly<Record<string, string>> = {
  service_tier: 'standard',
  speed: 'standard',
  inference_geo: 'not_available',
}

const COUNTED: ReadonlySet<string> = new Set([
  ...['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation'],
  ...['output_tokens_details', 'server_tool_use', ...Object.keys(USUAL)],
])
const SEARCHES: ReadonlySet<string> = new Set(['web_search_requests'])

/** Adds uncounted fields of usage with unusual values to `fields`. */
export function unusualFields(usage: unknown, fields: Json | undefined): Json | undefined {
  if (!isObject(usage)) return fields
  let out = fields
  for (const key of Object.keys(USUAL)) {
    const found = text(usage[key])
    if (found !== undefined && found !== USUAL[key]) out = { ...out, [`usage.${key}`]: found }
  }
  out = uncounted(object(usage['server_tool_use']) ?? {}, SEARCHES, out, 'usage.server_tool_use.')
  return uncounted(usage, COUNTED, out, 'usage.')
}
