import type { ProviderConfig } from '@headgate/discovery'
import type { ImportedPrice } from './price.ts'

/** Part of Headgate's configuration that an import writes. */
export interface ImportedConfig {
  keys?: { key: string; name: string }[]
  providers: Record<string, ProviderConfig>
  models?: Record<string, string[]>
  /** US dollars by provider and model. */
  prices?: Record<string, ImportedPrice>
  /** Times in milliseconds. */
  times?: { firstByte: number; whole?: number }
  limits?: { models: Record<string, ImportedRateLimit> }
  budgets?: { organization: string[] }
}

/** Rate limits of a model. */
export interface ImportedRateLimit {
  requestsPerMinute?: number
  tokensPerMinute?: number
  concurrent?: number
}
