import type { Loss } from '@headgate/core/canonical'
import { type Json, objects, tierOf } from '@headgate/core/canonical'
import {
  type BodyLimit,
  hostedIn,
  isVendors,
  LEAST_LIMIT,
  largestOf,
  limitOf,
  limitsIn,
  mediaIn,
  type RequestOutputLimits,
  wires,
} from '@headgate/core/formats'
import type { CostInput, UsageBound } from '../../../cost/bound.ts'

/** Fields that select a service tier, speed or region, in the order in which responses join their values. */
const TIERS = ['service_tier', 'serviceTier', 'speed', 'inference_geo'] as const
const USUAL: ReadonlySet<string> = new Set(['standard_only', 'global', 'not_available'])

/** Maximum tokens that vendors add to the prompt: once for all tools, and for each tool that the vendor describes. */
const INSTRUCTIONS = 1_024

/** Output limits in a request's body. */
function limitsOf({ body, format = '' }: CostInput): RequestOutputLimits {
  return limitsIn(limitOf(format), body?.json ?? {})
}

/**
 * Maximum output tokens of one choice; Infinity = unknown. Only the format's exact field names lower it, because
 * servers may ignore other spellings. The largest limit counts, including other
 * spellings.
 */
export function outputOf(asked: CostInput, limits: RequestOutputLimits = limitsOf(asked)): number {
  const { facts, losses = [] } = asked
  const isLost = ({ path }: BodyLimit, kind: Loss['kind']): boolean =>
    losses.length > 0 && losses.some((loss) => loss.kind === kind && loss.path === path.join('.'))
  const read = limits.outputs.filter((given) => !isLost(given, 'dropped'))
  const given = read.length > 0 ? largestOf([...read, ...limits.others]) : Number.POSITIVE_INFINITY
  const limit = read.some((one) => isLost(one, 'changed')) ? Math.max(given, LEAST_LIMIT) : given
  return Math.min(limit, facts?.output ?? limit)
}

/** Number of choices that a request asks for; Infinity = unknown. Lenient servers may read other values as numbers. */
export function choicesOf(asked: CostInput, { counts }: RequestOutputLimits = limitsOf(asked)): number {
  const { body, format = '' } = asked
  const prompts = (body && wires.get(format)?.prompts?.(body.json)) ?? 1
  return prompts * (counts.length > 0 ? largestOf(counts) : 1)
}

/** A field that affects the cost, in a spelling that only some servers accept, such as `Tools`. */
export function ambiguousFieldIn(asked: CostInput): string | undefined {
  return limitsOf(asked).twin
}

/** True if a request limits its output with a field of the format, even an invalid one. */
export function isLimited(asked: CostInput): boolean {
  return limitsOf(asked).outputs.length > 0
}

/** True if the output limit does not reach the upstream. */
export function losesLimit({ format = '', losses = [] }: CostInput): boolean {
  const { outputs, within } = limitOf(format).names
  const paths = within ? within.flatMap((name) => outputs.map((output) => `${name}.${output}`)) : outputs
  return losses.some(({ kind, path }) => kind === 'dropped' && paths.includes(path))
}

/** The bound with another output limit. */
export function withOutput(bound: UsageBound, output: number): UsageBound {
  return { ...bound, output, audioOutput: output, imageOutput: output }
}

/** Tiers that the response may report. Upstreams may grant some of the requested tiers, alone or combined. */
function tiersOf(json: Json): string[] {
  const tiers: string[] = []
  for (const field of TIERS) {
    const tier = json[field] === undefined ? undefined : tierOf(json[field])
    if (tier !== undefined && !USUAL.has(tier)) tiers.push(...tiers.map((before) => `${before}+${tier}`), tier)
  }
  return tiers
}

/** True if the body may request a long-lived cache. Escaped text can contain anything, so it counts too. */
function mayCacheLong(bytes: Buffer): boolean {
  return bytes.includes('"ttl"') || bytes.includes('\\u00')
}

/** Maximum tokens that a vendor adds for tools. */
function instructionsFor(json: Json): number {
  const tools = objects(json['tools'])
  return tools.length === 0 ? 0 : INSTRUCTIONS * (1 + tools.filter(isVendors).length)
}

/**
 * Worst-case input. Each token of text has at least one byte, and images have a known maximum. Other media and results of
 * hosted tools are limited only by the context, each time that the model reads it. The output is not subtracted from
 * the context, since some models have separate limits.
 */
function inputOf({ body, facts }: CostInput, calls: number): Pick<UsageBound, 'input' | 'audioInput' | 'imageInput'> {
  const json = body?.json ?? {}
  const media = mediaIn(json)
  const context = facts?.context ?? Number.POSITIVE_INFINITY
  const said = media.isOpen || calls > 0 ? context : (body?.bytes.length ?? 0) + media.tokens + instructionsFor(json)
  const input = Math.min(said, context) * (1 + calls)
  return {
    input,
    ...(media.isOpen && { audioInput: input }),
    ...((media.isOpen || media.hasImages) && { imageInput: input }),
  }
}

/**
 * Worst-case cost. The output is unlimited if neither the request nor the model limits it. Undefined if the body has a
 * costly field in another spelling.
 */
export function boundOfChat(asked: CostInput): UsageBound | undefined {
  const { body } = asked
  if (!body) return undefined
  const limits = limitsOf(asked)
  if (limits.twin !== undefined) return undefined
  const output = outputOf(asked, limits) * choicesOf(asked, limits)
  const { calls, searches } = hostedIn(body.json, asked)
  const input = inputOf(asked, calls)
  const tiers = tiersOf(body.json)
  return {
    ...input,
    output,
    cacheWrite: input.input,
    ...(mayCacheLong(body.bytes) && { cacheWriteLong: input.input }),
    audioOutput: output,
    imageOutput: output,
    ...(searches > 0 && { units: { searches } }),
    ...(tiers.length > 0 && { tiers }),
  }
}
