import type { ErrorKind } from '@headgate/core/errors'
import type { ProviderConfig } from '@headgate/discovery'
import type { RoutingPolicy } from '@headgate/gateway/ports'
import type { ImportedPrice } from './price.ts'

/** Part of Headgate's configuration that an import writes. */
export interface ImportedConfig {
  keys?: { key: string; name: string }[]
  providers: Record<string, ProviderConfig>
  models?: Record<string, string[] | ImportedAlias>
  routing?: { policy: RoutingPolicy }
  /** US dollars by provider and model. */
  prices?: Record<string, ImportedPrice>
  /** Times in milliseconds. */
  times?: { firstByte: number; whole?: number }
  limits?: { models: Record<string, ImportedRateLimit> }
  budgets?: { organization: string[] }
}

/** Alias with options. */
export interface ImportedAlias {
  targets: (string | ImportedTarget)[]
  policy?: RoutingPolicy
  /** Milliseconds. */
  firstByte?: number
}

/** Model of an alias. */
export interface ImportedTarget {
  model: string
  /** Kinds of failures after which the model is called. */
  on?: ErrorKind[]
  weight?: number
}

/** Rate limits of a model. */
export interface ImportedRateLimit {
  requestsPerMinute?: number
  tokensPerMinute?: number
  concurrent?: number
}
