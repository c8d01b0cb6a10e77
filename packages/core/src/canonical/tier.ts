import type { Side } from './block.ts'
import type { Json } from './json.ts'
import { text } from './json.ts'
import { tierOf, type Usage } from './usage.ts'

/** Fields of answers in which vendors report the tier of service, each in its own format. */
const FIELDS: ReadonlySet<string> = new Set(['service_tier', 'usage.service_tier', 'usageMetadata.serviceTier'])

/** Tiers that OpenAI's answers report. `fast` is reported as `priority`. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ...['auto', 'default', 'flex', 'scale', 'priority'].map((tier): [string, string] => [tier, tier]),
  ['fast', 'priority'],
])

/**
 * OpenAI's word for a tier; undefined if OpenAI has none.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 */
export function openaiTier(tier: string | undefined): string | undefined {
  return tier === undefined ? undefined : TIERS.get(tier)
}

function saidIn(side: Side | undefined): string | undefined {
  const fields: Json = side?.fields ?? {}
  const key = Object.keys(fields).find((name) => FIELDS.has(name))
  return key === undefined ? undefined : text(fields[key])
}

/** Whether the upstream named a tier, be it the usual one. */
export function namesTier(side: Side | undefined): boolean {
  return saidIn(side) !== undefined
}

/**
 * Tier of service that an upstream reported, in OpenAI's words; undefined if it reported nothing that OpenAI has a word
 * for.
 */
export function reportedTier(usage: Usage | undefined, side: Side | undefined): string | undefined {
  const said = saidIn(side)
  const unusual = usage?.tier ?? tierOf(said)
  if (unusual !== undefined) return openaiTier(unusual)
  return usage || said !== undefined ? 'default' : undefined
}

/** Whether a side-channel's field is a tier that `reportedTier` writes, so that it is no loss. */
export function isWrittenTier(key: string, value: unknown): boolean {
  const unusual = tierOf(value)
  return FIELDS.has(key) && (unusual === undefined || openaiTier(unusual) !== undefined)
}
