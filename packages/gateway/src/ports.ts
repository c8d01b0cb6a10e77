/**
 * Types and helpers for authors of stores: rows, budgets, rate limits, stored responses and tasks. The module loads
 * fast, also in worker threads.
 */

export type { FinishReason, Loss, ModelFacts, Price, Rates, Tariff, Usage } from '@headgate/core/canonical'
export { object } from '@headgate/core/canonical'
export type { TaskRef, TaskStatus } from '@headgate/core/contract'
export { type ErrorKind, HeadgateError } from '@headgate/core/errors'
export { type CostExplained, type CostLine, explainCost } from './cost/cost.ts'
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
export type { PriceBook } from './ports/gateway-options.ts'
export type { KeyInfo, KeyInfoOf, KeyUse } from './ports/key-info.ts'
export {
  definedRights,
  everyRight,
  isLabel,
  isLabelName,
  isRestricted,
  KEY_RIGHT_NAMES,
  KEY_RIGHTS,
  type KeyRight,
  type KeyRightName,
  type KeyRights,
  LABEL_VALUE,
  rightsOf,
} from './ports/key-rights.ts'
export { type AttemptRow, type Ledger, type Principal, recordable, type UsageRow } from './ports/ledger.ts'
export type { ListStore } from './ports/list-store.ts'
export type {
  AppliedLimit,
  CountedRequest,
  LimitsOf,
  RateCounters,
  RateEstimate,
  RateLimit,
  RateScope,
  RateSlot,
  RateState,
  RateUnit,
} from './ports/rates.ts'
export type {
  ResponseQuota,
  ResponseStore,
  ResponseVisibility,
  Sealer,
  SharedUse,
  StoredResponse,
} from './ports/responses.ts'
export {
  FALLBACK_KINDS,
  POLICIES,
  type PromptCacheRecord,
  type PromptCaches,
  type RoutingDecision,
  type RoutingPolicy,
} from './ports/routing.ts'
export type { Signer, Task, TaskClaim, TaskQuery, TaskStore } from './ports/tasks.ts'
export type { TracedBody, TracedCall, TraceSink, WireTrace } from './ports/traces.ts'
export { type PollRate, pollRateOf } from './serve/tasks/poll-rate.ts'
export { uuidv7 } from './uuid.ts'
