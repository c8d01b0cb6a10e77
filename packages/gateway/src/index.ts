/**
 * What an embedder needs: a gateway, its ports, and what comes out of them. Adapters are written with the other
 * entries.
 */
// First, so that a Node that is too old is told so before anything that it lacks is used.
import './node-version.ts'

import { families as all } from './families/index.ts'
import type { Family } from './serve/family.ts'

export type { FinishReason, Loss, ModelFacts, Price, Rates, Tariff, Usage } from '@headgate/core/canonical'
export { type Json, object } from '@headgate/core/canonical'
export type { BackendAdapter, BackendInstance, TaskRef, TaskStatus } from '@headgate/core/contract'
export { CONTRACT, type ProviderAdapter, type ProviderInstance } from '@headgate/core/contract'
export { type ErrorKind, FAILURES, HeadgateError, type UpstreamError } from '@headgate/core/errors'
export { dearRates } from './cost/prices.ts'
export {
  type MemoryBudget,
  type MemoryBudgetState,
  type MemoryBudgets,
  memoryBudgets,
} from './cost/spending/memory.ts'
export { ROUTING_FIELDS } from './families/chat/routing-fields.ts'
export { type MixedAlias, mixedAliases } from './families/embeddings/same-model.ts'
export { type Checkup, checkProvider } from './families/models/checkup.ts'
export { type KnownModels, knownModels, type ListedModel } from './families/models/known.ts'
export { createGateway, type FetchContext, type Gateway } from './gateway.ts'
export { createGuard, type Guard, type GuardOptions } from './http/guard.ts'
export { postWebhook, type Webhook } from './http/webhook.ts'
export type {
  AnswerOptions,
  AnswerRoom,
  AnswerSight,
  AnswerStore,
  KeptAnswer,
  Sealer,
  SharedUse,
} from './ports/answers.ts'
export type { Budget, BudgetAsk, BudgetPeriod, BudgetRefusal, BudgetScope, Budgets } from './ports/budgets.ts'
export type {
  AccessRecord,
  Authenticate,
  BackendEntry,
  Deployment,
  Engine,
  GatewayOptions,
  Limits,
  OpenApiPart,
  PriceBook,
  ProviderEntry,
  Retries,
  SearchOptions,
  SpendingOptions,
  Times,
} from './ports/gateway-options.ts'
export type { KeyInfo, KeyInfoOf, KeyUse } from './ports/key-info.ts'
export { type AttemptRow, type Ledger, type Principal, recordable, type UsageRow } from './ports/ledger.ts'
export type { ListStore } from './ports/list-store.ts'
export type { RateLimit } from './ports/rate-limit.ts'
export type {
  AppliedLimit,
  CountedAsk,
  LimitsOf,
  RateAsk,
  RateCounters,
  RateEstimate,
  RateLimits,
  RatePlace,
  RateRefusal,
  RateScope,
  RateState,
  RateUnit,
} from './ports/rates.ts'
export type { Signer, Task, TaskClaim, TaskOptions, TaskQuery, TaskStore } from './ports/tasks.ts'
export type { TracedBody, TracedCall, Traces, WireTrace } from './ports/traces.ts'
export type { HealthReport, Trouble } from './routing/health.ts'
export { type MemoryCounters, memoryCounters } from './routing/rate-limits/counters.ts'
export {
  type LimitsByName,
  limitsByName,
  limitsOfKey,
  memoryRateLimits,
  rateLimitsBy,
} from './routing/rate-limits/limits.ts'
export { memoryAnswers } from './serve/answers/memory.ts'
export { checkAddress, mayUse } from './serve/permission.ts'
export { memoryTasks } from './serve/tasks/memory.ts'
export { uuidv7 } from './uuid.ts'

/** What a gateway can be asked for, and whether a provider serves it. */
export const families: readonly Pick<Family, 'id' | 'kind' | 'has'>[] = all
