import { isObject, type Json, number, objects } from '../../canonical/json.ts'
import { tierOf } from '../../canonical/usage.ts'
import type { Bound } from '../../pipeline/bound.ts'
import type { Asked } from '../../pipeline/family.ts'
import { hostedIn, isVendors } from './hosted.ts'
import { mediaIn } from './media-in.ts'

/** Where a format has the most tokens of an answer, the number of answers, and its configuration where that is apart. */
interface Limits {
  readonly outputs: readonly string[]
  readonly counts: readonly string[]
  readonly within?: readonly string[]
}

const CHAT: Limits = { outputs: ['max_completion_tokens', 'max_tokens'], counts: ['n', 'best_of'] }
const LIMITS: Readonly<Record<string, Limits>> = {
  messages: { outputs: ['max_tokens'], counts: [] },
  'generate-content': {
    outputs: ['maxOutputTokens', 'max_output_tokens'],
    counts: ['candidateCount', 'candidate_count'],
    within: ['generationConfig', 'generation_config'],
  },
}

/** Where requests name a tier of service, a speed or a place, in the order in which answers join them. */
const TIERS = ['service_tier', 'serviceTier', 'speed', 'inference_geo'] as const
const USUAL: ReadonlySet<string> = new Set(['standard_only', 'global', 'not_available'])

/** What vendors tell their models of tools, in tokens, at most: once, and of each tool whose description is theirs. */
const INSTRUCTIONS = 1_024

/** A limit is a whole number above 0; anything else is refused upstream, or none. */
function limitIn(values: readonly unknown[]): number | undefined {
  const limits = values.map(number).filter((value) => value !== undefined && Number.isSafeInteger(value) && value > 0)
  return limits.length > 0 ? Math.max(...(limits as number[])) : undefined
}

/** Of several that are given nobody knows which counts: the greatest. */
function outputOf({ body, format = '', facts, losses = [] }: Asked): number | undefined {
  const json = body?.json ?? {}
  const { outputs, counts, within } = LIMITS[format] ?? CHAT
  const places = within ? within.map((name) => [json[name], `${name}.`] as const) : [[json, ''] as const]
  const values = (names: readonly string[], reaches: (path: string) => boolean = () => true): unknown[] =>
    places.flatMap(([place, prefix]) => names.flatMap((name) => (isObject(place) && reaches(prefix + name) ? [place[name]] : [])))
  const isDropped = (path: string): boolean => losses.some((loss) => loss.kind === 'dropped' && loss.path === path)
  const asked = limitIn(values(outputs, (path) => !isDropped(path)))
  const most = asked === undefined ? facts?.output : Math.min(asked, facts?.output ?? asked)
  return most === undefined ? undefined : most * (limitIn(values(counts)) ?? 1)
}

/** What the answer may say of its tier: what is asked for, each by itself or together, is not always given. */
function tiersOf(json: Json): string[] {
  const named = TIERS.flatMap((field) => tierOf(json[field]) ?? []).filter((tier) => !USUAL.has(tier))
  const tiers: string[] = []
  for (const tier of named) tiers.push(...tiers.map((before) => `${before}+${tier}`), tier)
  return tiers
}

/** Whether the body may ask for a cache that is kept for long. What is escaped may say anything. */
function mayKeepLong(bytes: Buffer): boolean {
  return bytes.includes('"ttl"') || bytes.includes('\\u00')
}

/** What a vendor adds for tools. */
function instructionsFor(json: Json): number {
  const tools = objects(json['tools'])
  return tools.length === 0 ? 0 : INSTRUCTIONS * (1 + tools.filter(isVendors).length)
}

/**
 * A token of text is a byte at least. Of images it is known what they are at most; of what else is no text, and of what the
 * provider's own tools bring along, only that it fits into the context, each time that the model reads it. The output is not taken
 * off the context: some models have room for both.
 */
function inputOf({ body, facts }: Asked, calls: number): Pick<Bound, 'input' | 'audioInput' | 'imageInput'> {
  const json = body?.json ?? {}
  const media = mediaIn(json)
  const context = facts?.context ?? Number.POSITIVE_INFINITY
  const said = media.isOpen || calls > 0 ? context : (body?.bytes.length ?? 0) + media.tokens + instructionsFor(json)
  const input = Math.min(said, context) * (1 + calls)
  return { input, ...(media.isOpen && { audioInput: input }), ...((media.isOpen || media.hasImages) && { imageInput: input }) }
}

/** Without a limit in the request or of the model the output has no bound. */
export function boundOfChat(asked: Asked): Bound | undefined {
  const { body, facts } = asked
  const output = outputOf(asked)
  if (!body || output === undefined) return undefined
  const { calls, searches } = hostedIn(body.json, asked.format, facts?.hostedCalls)
  const input = inputOf(asked, calls)
  const tiers = tiersOf(body.json)
  return {
    ...input,
    output,
    cacheWrite: input.input,
    ...(mayKeepLong(body.bytes) && { cacheWriteLong: input.input }),
    audioOutput: output,
    imageOutput: output,
    ...(searches > 0 && { units: { searches } }),
    ...(tiers.length > 0 && { tiers }),
  }
}
