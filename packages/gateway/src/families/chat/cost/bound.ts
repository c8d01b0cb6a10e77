import type { Loss } from '@headgate/core/canonical'
import { type Json, objects, tierOf } from '@headgate/core/canonical'
import {
  hostedIn,
  isVendors,
  LEAST_LIMIT,
  type Limit,
  type Limits,
  largestOf,
  limitOf,
  limitsIn,
  mediaIn,
  wires,
} from '@headgate/core/formats'
import type { Asked, Bound } from '../../../cost/bound.ts'

/** Where requests name a tier of service, a speed or a place, in the order in which answers join them. */
const TIERS = ['service_tier', 'serviceTier', 'speed', 'inference_geo'] as const
const USUAL: ReadonlySet<string> = new Set(['standard_only', 'global', 'not_available'])

/** What vendors tell their models of tools, in tokens, at most: once, and of each tool whose description is theirs. */
const INSTRUCTIONS = 1_024

/** The limits of a request's body. */
function limitsOf({ body, format = '' }: Asked): Limits {
  return limitsIn(limitOf(format), body?.json ?? {})
}

/**
 * Maximum output tokens of one answer; Infinity = unknown. Only names of the format, as spelled, lower it: servers may
 * ignore the others. If several limits are given, the largest counts, whatever its name or spelling.
 */
export function outputOf(asked: Asked, limits: Limits = limitsOf(asked)): number {
  const { facts, losses = [] } = asked
  const isLost = ({ path }: Limit, kind: Loss['kind']): boolean =>
    losses.length > 0 && losses.some((loss) => loss.kind === kind && loss.path === path.join('.'))
  const read = limits.outputs.filter((given) => !isLost(given, 'dropped'))
  const given = read.length > 0 ? largestOf([...read, ...limits.others]) : Number.POSITIVE_INFINITY
  const limit = read.some((one) => isLost(one, 'changed')) ? Math.max(given, LEAST_LIMIT) : given
  return Math.min(limit, facts?.output ?? limit)
}

/**
 * Number of answers that a request asks for; Infinity = unknown. Servers that are not strict may read a number where
 * none is.
 */
export function answersOf(asked: Asked, { counts }: Limits = limitsOf(asked)): number {
  const { body, format = '' } = asked
  const prompts = (body && wires.get(format)?.prompts?.(body.json)) ?? 1
  return prompts * (counts.length > 0 ? largestOf(counts) : 1)
}

/** A field that decides the cost, in a spelling that some servers read and others ignore: `Tools`. */
export function twinIn(asked: Asked): string | undefined {
  return limitsOf(asked).twin
}

/** Whether a request limits its output itself, by a name that the format has. The limit may be invalid. */
export function isLimited(asked: Asked): boolean {
  return limitsOf(asked).outputs.length > 0
}

/** Whether a limit of the output does not reach the target. */
export function losesLimit({ format = '', losses = [] }: Asked): boolean {
  const { outputs, within } = limitOf(format).names
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
 * A token of text is a byte at least. Of images it is known what they are at most; of what else is no text, and of what
 * the provider's own tools bring along, only that it fits into the context, each time that the model reads it. The
 * output is not taken off the context: some models have room for both.
 */
function inputOf({ body, facts }: Asked, calls: number): Pick<Bound, 'input' | 'audioInput' | 'imageInput'> {
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
 * Without a limit in the request or of the model the output has no bound. Undefined = the body has a field that costs
 * money in another spelling.
 */
export function boundOfChat(asked: Asked): Bound | undefined {
  const { body } = asked
  if (!body) return undefined
  const limits = limitsOf(asked)
  if (limits.twin !== undefined) return undefined
  const output = outputOf(asked, limits) * answersOf(asked, limits)
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
