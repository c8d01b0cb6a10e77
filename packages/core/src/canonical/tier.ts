import type { VendorExtensions } from './block.ts'
import type { Json } from './json.ts'
import { text } from './json.ts'
import { tierOf, type Usage } from './usage.ts'

/** Fields of responses in which vendors report the service tier, each in its own format. */
const FIELDS: ReadonlySet<string> = new Set(['service_tier', 'usage.service_tier', 'usageMetadata.serviceTier'])

/** Tiers in OpenAI's responses. `fast` is reported as `priority`. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ...['auto', 'default', 'flex', 'scale', 'priority'].map((tier): [string, string] => [tier, tier]),
  ['fast', 'priority'],
])

/**
 * OpenAI's name for a tier. Undefined if OpenAI has none.
 * @see https://platform.openai.com/docs/api-reference/responses/object
 */
export function openaiTier(tier: string | undefined): string | undefined {
  return tier === undefined ? undefined : TIERS.get(tier)
}

function saidIn(extensions: VendorExtensions | undefined): string | undefined {
  const fields: Json = extensions?.fields ?? {}
  const key = Object.keys(fields).find((name) => FIELDS.has(name))
  return key === undefined ? undefined : text(fields[key])
}

/** True if the upstream reported a tier, including the default one. */
export function namesTier(extensions: VendorExtensions | undefined): boolean {
  return saidIn(extensions) !== undefined
}

/** Service tier that an upstream reported, in OpenAI's terms. Undefined if OpenAI has no equivalent. */
export function reportedTier(usage: Usage | undefined, extensions: VendorExtensions | undefined): string | undefined {
  const said = saidIn(extensions)
  const unusual = usage?.tier ?? tierOf(said)
  if (unusual !== undefined) return openaiTier(unusual)
  return usage || said !== undefined ? 'default' : undefined
}

/** True for a field of the vendor extensions that `reportedTier` writes, so that it is not lost. */
export function isWrittenTier(key: string, value: unknown): boolean {
  const unusual = tierOf(value)
  return FIELDS.has(key) && (unusual === undefined || openaiTier(unusual) !== undefined)
}
