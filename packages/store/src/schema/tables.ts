import type { Selectable } from 'kysely'
import { ALERT_TABLES } from './alert-destinations.ts'
import { BUDGET_TABLES } from './budgets.ts'
import { CREDENTIAL_TABLES } from './credentials.ts'
import { int, json, type RowsOf, type StoreSchema, table, text } from './declare.ts'
import { IDEMPOTENCY_TABLES } from './idempotency.ts'
import { KEY_TABLES, OWNER_TABLES } from './keys.ts'
import { MINUTE_TABLES } from './minutes.ts'
import { RATE_TABLES } from './rates.ts'
import { REFUSAL_TABLES } from './refusals.ts'
import { TASK_TABLES } from './tasks.ts'
import { USAGE_TABLES } from './usage.ts'

const FIRST_TABLES = {
  settings: table({ columns: { name: text, value: text }, key: ['name'] }),
  /** Versions of cached data, increased by each change. */
  changes: table({ columns: { topic: text, version: int }, key: ['topic'] }),
}

const OTHER_TABLES = {
  model_lists: table({ columns: { provider: text, models: json, read_at: int }, key: ['provider'] }),
  prices: table({
    columns: { id: text, provider: text, model: text, source: text, valid_from: int, rates: json },
    key: ['id'],
  }),
  /** Ingest position of a journal segment. */
  ingest_positions: table({
    columns: { run: text, segment: int, upto: int },
    key: ['run', 'segment'],
    clustered: true,
  }),
  /** Records of a journal whose rows are still being written, for the loss of its disk. */
  journal_copies: table({
    columns: {
      run: text,
      /** Position after the records. */
      segment: int,
      upto: int,
      /** Time of the copy, Unix milliseconds. */
      at: int,
      records: json,
    },
    key: ['run', 'segment', 'upto'],
    clustered: true,
  }),
}

/** All tables of the store, in an order in which they can be filled. */
export const TABLES = {
  ...FIRST_TABLES,
  ...KEY_TABLES,
  ...OWNER_TABLES,
  ...USAGE_TABLES,
  ...MINUTE_TABLES,
  ...REFUSAL_TABLES,
  ...TASK_TABLES,
  ...IDEMPOTENCY_TABLES,
  ...BUDGET_TABLES,
  ...RATE_TABLES,
  ...CREDENTIAL_TABLES,
  ...ALERT_TABLES,
  ...OTHER_TABLES,
}

/** Tables of this package. */
export const STORE: StoreSchema = { name: 'store', tables: TABLES, upgrades: [] }

/** Table types for Kysely, the same for SQLite and Postgres. */
export type StoreTables = RowsOf<typeof TABLES>

export type TableName = keyof StoreTables

/** Row as a query returns it. */
export type TableRow<Name extends keyof All, All = StoreTables> = Selectable<All[Name]>

/** Tables of sums of rows. */
export const ROLL_UPS = [
  'usage_hours',
  'usage_days',
  'usage_model_days',
  'usage_key_days',
  'usage_key_status_days',
  'usage_key_model_days',
] as const

/** Tables of daily sums in the time zone of the store, by date. */
export const NAMED_DAYS = [
  'usage_days',
  'usage_model_days',
  'usage_key_days',
  'usage_key_status_days',
  'usage_key_model_days',
  'usage_tag_days',
] as const
