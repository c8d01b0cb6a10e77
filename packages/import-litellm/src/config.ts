import type { ProviderConfig } from '@headgate/discovery'
import type { Price } from './price.ts'

/** Part of Headgate's configuration that an import writes. */
export interface ImportedConfig {
  keys?: { key: string; name: string }[]
  providers: Record<string, ProviderConfig>
  models?: Record<string, string[]>
  /** US dollars by provider and model. */
  prices?: Record<string, Price>
  /** Times in milliseconds. */
  times?: { firstByte: number; whole?: number }
  limits?: { models: Record<string, RateLimitConfig> }
  budgets?: { organization: string[] }
}

/** Rate limits of a model. */
export interface RateLimitConfig {
  requestsPerMinute?: number
  tokensPerMinute?: number
  concurrent?: number
}
