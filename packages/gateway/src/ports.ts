/**
 * Types and helpers for authors of stores: rows, budgets, rate limits, stored responses and tasks. The module loads
 * fast, also in worker threads.
 */

export type { FinishReason, Loss, ModelFacts, Price, Rates, Tariff, Usage } from '@headgate/core/canonical'
export { object } from '@headgate/core/canonical'
export type { TaskRef, TaskStatus } from '@headgate/core/contract'
export { type ErrorKind, HeadgateError } from '@headgate/core/errors'
export { type CostExplained, type CostLine, costOf, explainCost } from './cost/cost.ts'
export { inDollars } from './cost/dollars.ts'
export { isNetwork, isWithin } from './edge/addresses.ts'
export { clientAddress, type ProxyHeaders } from './edge/client-address.ts'
export { isOrigin } from './edge/origin.ts'
export { beginningOfRequest } from './edge/request-id.ts'
export {
  type Budget,
  type BudgetAmounts,
  type BudgetPeriod,
  type BudgetRefusal,
  type BudgetRequest,
  type BudgetScope,
  type Budgets,
  budgetAmounts,
} from './ports/budgets.ts'
export type { FileLinkOptions } from './ports/files.ts'
export type { PriceBook } from './ports/gateway-options.ts'
export type {
  ExecutionRecord,
  IdempotencyOptions,
  IdempotencyStore,
  IdempotentExecution,
} from './ports/idempotency.ts'
export type { KeyInfo, KeyInfoOf, KeyUse } from './ports/key-info.ts'
export {
  ALLOWED_SETTINGS,
  definedRights,
  everyRight,
  isLabel,
  isLabelName,
  isRestricted,
  KEY_RIGHT_NAMES,
  KEY_RIGHTS,
  KEY_SETTING_NAMES,
  KEY_SETTINGS,
  type KeyRight,
  type KeyRightName,
  type KeyRights,
  type KeySettingName,
  type KeySettings,
  LABEL_VALUE,
  rightsOf,
  settingOf,
} from './ports/key-rights.ts'
export {
  type AttemptRow,
  type Ledger,
  type Principal,
  type RequestTrace,
  recordable,
  type UsageRow,
} from './ports/ledger.ts'
export type { ListStore } from './ports/list-store.ts'
export { OUTCOMES, type OutcomeFacts, outcomeOf, type RequestOutcome } from './ports/outcome.ts'
export { outcomeWithoutCalls, PROVIDER_FAULTS } from './ports/provider-faults.ts'
export type {
  AppliedLimit,
  CountedRequest,
  LimitsOf,
  RateCounters,
  RateEstimate,
  RateLimit,
  RateRefusal,
  RateScope,
  RateSlot,
  RateState,
  RateUnit,
} from './ports/rates.ts'
export type {
  FailureWords,
  RefusalRecord,
  RefusalSink,
  RefusingLimit,
  UnauthenticatedRefusal,
} from './ports/refusals.ts'
export type {
  ResponseQuota,
  ResponseStore,
  ResponseVisibility,
  Sealer,
  SharedUse,
  StoredResponse,
} from './ports/responses.ts'
export {
  type CooldownRecord,
  type Cooldowns,
  FALLBACK_KINDS,
  POLICIES,
  type PromptCacheRecord,
  type PromptCaches,
  type RoutingDecision,
  type RoutingPolicy,
} from './ports/routing.ts'
export { MAX_WEIGHT, SERVICE_CLASSES, type ServiceClass } from './ports/service-class.ts'
export {
  NODE_SEEN_MS,
  type PlacesReply,
  type PlacesRequest,
  type RateExchange,
  type RateExchangeReply,
  SHARED_SLOT_MS,
  SHARED_SLOTS,
  type SharedRates,
  type SlotChange,
  type WindowReply,
  type WindowRequest,
} from './ports/shared-rates.ts'
export { childSpanId, spanIdOf, traceIdOf } from './ports/span-ids.ts'
export type { Signer, Task, TaskClaim, TaskQuery, TaskStore } from './ports/tasks.ts'
export type { TracedBody, TracedCall, TraceSink, WireTrace } from './ports/traces.ts'
export { type CallerTracing, isInPart, isTracing, TRACINGS, type TracePropagation } from './ports/tracing.ts'
export type { Voices } from './ports/voices.ts'
export { note as noteRateState, reserved as reservedTokens } from './routing/rate-limits/counters.ts'
export {
  exchangePlaces,
  type NodePlaces,
  type NodeShare,
  PLACES_RULE,
  type PlacesExchange,
} from './routing/rate-limits/shared-places.ts'
export { type ExchangeContext, exchangeWindow, type SlotAmounts } from './routing/rate-limits/shared-windows.ts'
export {
  type Bucket,
  count as countInWindow,
  createWindow,
  msUntil as msUntilUsed,
  msUntilEmpty,
  type SlidingWindow,
  uncount as uncountInWindow,
  usedOf as usedInWindow,
} from './routing/window.ts'
export { type PollRate, pollRateOf } from './serve/tasks/poll-rate.ts'
export { uuidv7 } from './uuid.ts'
