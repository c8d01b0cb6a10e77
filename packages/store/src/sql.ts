/** Tables of the store, for packages that add tables: a connection, transactions, and the thread that runs both. */
export {
  type AlertDestination,
  listDestinations,
  removeDestinationWithin,
  setDestinationWithin,
} from './alert-destinations/destinations.ts'
export { budgetOf, type KeyBudget, type NewBudget, removeBudgetsWithin, writeBudgets } from './budgets/defined.ts'
export { type BudgetStatus, budgetStatuses } from './budgets/status.ts'
export {
  listCredentials,
  type NewCredential,
  removeCredentialWithin,
  type SealedCredential,
  setCredentialWithin,
} from './credentials/credentials.ts'
export { type Cell, csvLine } from './csv.ts'
export { openConnection, type StoreConnection } from './database/connection.ts'
export { isRefusal } from './database/failure.ts'
export { storable } from './database/group.ts'
export type { StoreLocation } from './database/location.ts'
export { migrate } from './database/migrate.ts'
export { readSetting } from './database/settings.ts'
export { transact, type WriteTransaction } from './database/transaction.ts'
export { dayAt, startOfDay } from './database/zone.ts'
export { hashApiKey } from './keys/api-key.ts'
export {
  changeKeyWithin,
  type KeyChange,
  type KeyVersion,
  type Rotation,
  reassignKeyWithin,
  revokeKeyWithin,
  rotateKeyWithin,
} from './keys/change.ts'
export { recordChange } from './keys/changes.ts'
export type { CreatorState } from './keys/creators.ts'
export {
  createKeyWithin,
  type IssuedKey,
  type KeyQuery,
  type KeyTime,
  keyById,
  listKeys,
  type NewKey,
} from './keys/keys.ts'
export { limitColumns, storedLimits } from './keys/limits.ts'
export { CONFIG_PROJECT, DEFAULT_ENVIRONMENT, DEFAULT_ORGANIZATION, DEFAULT_PROJECT } from './keys/owners.ts'
export type { KeySecret, StoredKey } from './keys/stored.ts'
export type { PriceRow, StoredRates } from './prices/row.ts'
export { currentPrices, type PriceSet, setPriceWithin } from './prices/set.ts'
export { STORE, type StoreTables, type TableRow } from './schema/tables.ts'
export { createSecret, type Secret } from './secret/secret.ts'
export type { SubKeys } from './secret/sub-keys.ts'
export { createMaintenance, type Maintenance } from './threads/maintenance.ts'
export type { Calls } from './threads/messages.ts'
export { announce, serveCalls } from './threads/serve.ts'
export { type CallLimits, createThread, type WorkerThread } from './threads/thread.ts'
export { billedUsage } from './usage/billed-usage.ts'
export { csvHead, csvOf, ndjsonOf } from './usage/export.ts'
export { ATTEMPT_FIELDS, USAGE_FIELDS } from './usage/fields.ts'
export { allows } from './usage/filters.ts'
export { isVisible } from './visible.ts'
