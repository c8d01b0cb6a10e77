/** Public API for programs that embed the gateway. */
// First import, so that an old Node gets a clear error before a missing feature of it fails.
import './node-version.ts'

import { families as all } from './families/index.ts'
import type { Family } from './serve/family.ts'

export type { Loss, ModelFacts, Price, Usage } from '@headgate/core/canonical'
export type { BackendInstance, ProviderInstance } from '@headgate/core/contract'
export { type ErrorKind, HeadgateError } from '@headgate/core/errors'
export { type MemoryBudgets, memoryBudgets } from './cost/spending/memory.ts'
export { createGateway, type FetchContext, type Gateway } from './gateway.ts'
export type { BudgetRefusal, BudgetRequest, Budgets } from './ports/budgets.ts'
export type {
  AccessRecord,
  Authenticate,
  BackendEntry,
  GatewayLimits,
  GatewayOptions,
  ModelDeployment,
  OpenApiExtension,
  PriceBook,
  ProviderEntry,
  Retries,
  SearchEngine,
  SearchOptions,
  SpendingOptions,
  Times,
} from './ports/gateway-options.ts'
export type { KeyInfo, KeyInfoOf } from './ports/key-info.ts'
export type { AttemptRow, Ledger, Principal, UsageRow } from './ports/ledger.ts'
export type { ListStore } from './ports/list-store.ts'
export type { RateLimit } from './ports/rate-limit.ts'
export type { RateLimits, RateRefusal, RateRequest } from './ports/rates.ts'
export type { ResponseOptions, ResponseStore } from './ports/responses.ts'
export type { EndpointEntry, EndpointLimits, ModelAlias, RoutingOptions, SameModels } from './ports/routing.ts'
export type { TaskOptions, TaskStore } from './ports/tasks.ts'
export type { TraceSink, WireTrace } from './ports/traces.ts'
export type { HealthReport } from './routing/health.ts'
export { type LimitsByName, limitsByName, memoryRateLimits } from './routing/rate-limits/limits.ts'
export { memoryIdempotency } from './serve/idempotency/memory.ts'
export { memoryResponses } from './serve/responses/memory.ts'
export { memoryTasks } from './serve/tasks/memory.ts'

/**
 * Request families of the gateway. `has` tests whether a provider supports one.
 *
 * @example
 * ```ts
 * families.filter(({ has }) => has?.(provider)).map(({ id }) => id) // ['chat', 'embeddings']
 * ```
 */
export const families: readonly Pick<Family, 'id' | 'kind' | 'has'>[] = all
