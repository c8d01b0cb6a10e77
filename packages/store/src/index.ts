/** The store: keys, usage, prices, tasks and lists of models in SQLite or Postgres, behind a journal. */

export type {
  AlertDestination,
  AlertRule,
  AlertRules,
  AlertTopic,
  DestinationKind,
  FiringChange,
} from './alert-destinations/destinations.ts'
export { createDestinationSealer, type DestinationSealer } from './alert-destinations/sealer.ts'
export type { StoreFinding } from './backup/finding.ts'
export type { RebuildResult } from './backup/rebuild.ts'
export type { BudgetAlert, BudgetAlerts } from './budgets/alerts.ts'
export type { KeyBudget, NewBudget } from './budgets/defined.ts'
export type { HeldAmount, HeldQuery, LostLease, Release } from './budgets/held.ts'
export type { OrphanOutcome, SilentLease, SilentRun } from './budgets/orphaned-leases.ts'
export type { BudgetStatus } from './budgets/status.ts'
export type { StoreBudgets } from './budgets/store-budgets.ts'
export { type CommandStore, openCommandStore } from './command-store.ts'
export type { NewCredential, SealedCredential } from './credentials/credentials.ts'
export {
  type CredentialPlace,
  type CredentialSealer,
  type CredentialValues,
  createCredentialSealer,
} from './credentials/sealer.ts'
export { API_KEY_PATTERN, hashApiKey, isStorable, typoOf } from './keys/api-key.ts'
export {
  type Authentication,
  authenticate,
  type ConfiguredKey,
  configuredKeyId,
  configuredPrincipals,
  EVERYTHING,
  mayReadMetrics,
} from './keys/authenticate.ts'
export type { KeyChange, KeyVersion, Rotation } from './keys/change.ts'
export type { CreatorState } from './keys/creators.ts'
export type { IssuedKey, KeyQuery, NewKey } from './keys/keys.ts'
export { CONFIG_PROJECT, DEFAULT_ENVIRONMENT, DEFAULT_ORGANIZATION, DEFAULT_PROJECT } from './keys/owners.ts'
export type { ConfiguredPrincipal } from './keys/principals.ts'
export type { KeySecret, StoredKey } from './keys/stored.ts'
export type { StoreLedger } from './ledger/ledger.ts'
export { type CurrentPrice, catalogPrices, configuredPrices } from './prices/changed-prices.ts'
export type { UnpricedModel, UnpricedRequests } from './prices/reprice.ts'
export { probeStore } from './probe.ts'
export type {
  RowReceiver,
  RowReceiverModule,
  RowReceiverOptions,
  RowReceiverPlace,
} from './receivers/row-receiver.ts'
export type { Bill, BillAmounts, BillLine } from './reconcile/bill.ts'
export {
  type BillComparison,
  compareBill,
  type Difference,
  type Reconciliation,
  rangeOf,
} from './reconcile/compare-bill.ts'
export { readBill } from './reconcile/read-bill.ts'
export { type SettledDay, type Settlement, settleByBill } from './reconcile/settle-bill.ts'
export { createRefusalBook, type ReadWords, type RefusalBook, type RefusalStore } from './refusals/book.ts'
export type { BudgetRefusals, BudgetRefusalsQuery } from './refusals/by-budget.ts'
export type {
  FailureCount,
  FailureFilters,
  FailuresQuery,
  UnauthenticatedAddress,
  UnauthenticatedQuery,
} from './refusals/counts.ts'
export type { Retention } from './retention/retention.ts'
export { conversationSecret } from './secret/conversation-secret.ts'
export { openMode, secretFile } from './secret/file.ts'
export { createSecret, type Secret } from './secret/secret.ts'
export {
  findSecret,
  findSecretText,
  parseSecret,
  SECRET_ADVICE,
  SECRET_NEEDED,
  SECRET_VARIABLE,
  secretSource,
  secretWarnings,
} from './secret/source.ts'
export type { SubKeys } from './secret/sub-keys.ts'
export { callbackSecret } from './secret/webhook-secret.ts'
export type { SinkState } from './sinks/exporter.ts'
export type { SinkPlace } from './sinks/sinks.ts'
export { type Keys, openStore, type Prices, type Store, type StoreOptions } from './store.ts'
export { createTraceBook, type TraceBook } from './traces/book.ts'
export type { SealedTrace, Traces } from './traces/traces.ts'
export type { CachedInput, ExplanationQuery, LostField, SavedRequests, UsageExplanation } from './usage/explanation.ts'
export { csvHead, csvOf, ndjsonOf } from './usage/export.ts'
export type { Bounds, OneOf, RowFilters, UsageFilters } from './usage/filters.ts'
export type { Latency, LatencyQuery } from './usage/latency.ts'
export type { RowSort } from './usage/matching.ts'
export type { ObservedModel, ObservedModels, ObservedQuery } from './usage/observed.ts'
export type { UsagePageQuery } from './usage/page.ts'
export type {
  HealthCounts,
  ProviderError,
  ProviderHealth,
  ProviderHealthQuery,
  ProviderHealthState,
} from './usage/provider-health.ts'
export type { RecentUse, RecentUseQuery } from './usage/recent-use.ts'
export type { RequestQuery, RequestUsage } from './usage/request.ts'
export type { OwnedUsage, RowsQuery, UsageRows } from './usage/rows.ts'
export type { SeriesPoint } from './usage/series.ts'
export type { SeriesFilters, SeriesQuery, UsageDimension } from './usage/series-query.ts'
export type { StoredAttempt, StoredUsage } from './usage/stored.ts'
export type { UpstreamDay, UpstreamDaysQuery } from './usage/upstream-days.ts'
export type { UpstreamTotal } from './usage/upstream-totals.ts'
export type { UsageQueries } from './usage/usage.ts'
export type { KeyUsage } from './usage/usage-by-key.ts'
export type { UsageMinute, UsageMinutes, UsageMinutesQuery } from './usage/usage-minutes.ts'
