/** Helpers for programs that run the gateway: provider checks, counters that processes share, guarded requests. */

export type { SinkAdapter, SinkBatch, SinkInstance, SinkLimits } from '@headgate/core/contract'
export { implausibleRates } from './cost/prices.ts'
export type { MemoryBudget, MemoryBudgetState } from './cost/spending/memory.ts'
export { ROUTING_FIELDS } from './families/chat/routing-fields.ts'
export { type MixedAlias, mixedAliases } from './families/embeddings/same-model.ts'
export { type KnownModel, type KnownModels, knownModels } from './families/models/known-models.ts'
export {
  type CheckedList,
  checkProvider,
  type ProviderCheck,
  type ProviderCheckOptions,
} from './families/models/provider-check.ts'
export { createBatchWriter, type SinkWriter } from './http/batch-writer.ts'
export { createGuard, type Guard, type GuardOptions } from './http/guard.ts'
export { createSender, type Sender, type SenderUpstream } from './http/sender.ts'
export { postWebhook, type Webhook } from './http/webhook.ts'
export type { RecentError } from './routing/health.ts'
export { type MemoryCounters, memoryCounters } from './routing/rate-limits/counters.ts'
export { limitsOfKey, rateLimitsBy } from './routing/rate-limits/limits.ts'
export { checkAddress, mayUse } from './serve/permission.ts'
