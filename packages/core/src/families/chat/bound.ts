import { isObject, type Json, objects } from '../../canonical/json.ts'
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
  responses: { outputs: ['max_output_tokens'], counts: [] },
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

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

/** A limit is a whole number above 0; anything else is refused upstream, or none. */
function limitIn(found: readonly Given[]): number | undefined {
  const limits = found.map(({ value }) => value).filter(isLimit)
  return limits.length > 0 ? Math.max(...limits) : undefined
}

interface Given {
  readonly path: string
  readonly value: unknown
}

const HERE = ['']

/** What a body has under any of the names, wherever its format has such; what is null is not there. */
function given({ body, format = '' }: Asked, names: 'outputs' | 'counts'): Given[] {
  const json = body?.json ?? {}
  const { within = HERE, [names]: fields } = LIMITS[format] ?? CHAT
  const found: Given[] = []
  for (const where of within) {
    const place = where === '' ? json : json[where]
    if (!isObject(place)) continue
    for (const name of fields) {
      const value = place[name] ?? undefined
      if (value !== undefined) found.push({ path: where === '' ? name : `${where}.${name}`, value })
    }
  }
  return found
}

/** Of several that are given nobody knows which counts: the greatest. */
export function outputOf(asked: Asked): number {
  const { facts, losses = [] } = asked
  const isDropped = (path: string): boolean => losses.some((loss) => loss.kind === 'dropped' && loss.path === path)
  const limit = limitIn(given(asked, 'outputs').filter(({ path }) => !isDropped(path)))
  return (limit === undefined ? facts?.output : Math.min(limit, facts?.output ?? limit)) ?? Number.POSITIVE_INFINITY
}

/** How many answers a request is for. What is no number may be one to servers that are not strict: nobody knows. */
export function answersOf(asked: Asked): number {
  const counts = given(asked, 'counts')
  return counts.every(({ value }) => isLimit(value)) ? (limitIn(counts) ?? 1) : Number.POSITIVE_INFINITY
}

/** Whether a request says itself how much may be answered, be it wrong. */
export function isLimited(asked: Asked): boolean {
  return given(asked, 'outputs').length > 0
}

/** Whether a limit of the output does not reach the target. */
export function losesLimit({ format = '', losses = [] }: Asked): boolean {
  const { outputs, within } = LIMITS[format] ?? CHAT
  const paths = within ? within.flatMap((name) => outputs.map((output) => `${name}.${output}`)) : outputs
  return losses.some(({ kind, path }) => kind === 'dropped' && paths.includes(path))
}

/** The same bound, with so much output. */
export function withOutput(bound: Bound, output: number): Bound {
  return { ...bound, output, audioOutput: output, imageOutput: output }
}

/** What the answer may say of its tier: what is asked for, each by itself or together, is not always given. */
function tiersOf(json: Json): string[] {
  const tiers: string[] = []
  for (const field of TIERS) {
    const tier = json[field] === undefined ? undefined : tierOf(json[field])
    if (tier !== undefined && !USUAL.has(tier)) tiers.push(...tiers.map((before) => `${before}+${tier}`), tier)
  }
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
  const { body } = asked
  if (!body) return undefined
  const output = outputOf(asked) * answersOf(asked)
  const { calls, searches } = hostedIn(body.json, asked)
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
