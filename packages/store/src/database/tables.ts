import type { TaskStatus } from '@headgate/gateway/ports'
import type { AccountsTables } from './accounts-tables.ts'
import type {
  BudgetAlertTable,
  BudgetHeldTable,
  BudgetLeaseTable,
  BudgetTable,
  BudgetWindowTable,
  LifeTable,
  UsageBudgetTable,
} from './budget-tables.ts'
import type { Int, JsonText, MaybeInt, MaybeJson, MaybeText } from './column-types.ts'
import type {
  AttemptTable,
  DayTable,
  GroupTable,
  HourTable,
  KeyDayTable,
  ModelDayTable,
  TagDayTable,
  TagHourTable,
  UpstreamDayTable,
  UsageTable,
} from './usage-tables.ts'

/** What callers hold. What it is for never changes: sums of usage go by it. Lists are JSON. */
export interface KeyTable {
  id: string
  project: string
  environment: string
  /** Id of a person; null = nobody who is known. */
  created_by: MaybeText
  name: MaybeText
  models: MaybeJson
  search: MaybeJson
  scopes: MaybeJson
  created_at: Int
  expires_at: MaybeInt
  revoked_at: MaybeInt
  requests_per_minute: MaybeInt
  tokens_per_minute: MaybeInt
  /** Requests at a time. */
  concurrent: MaybeInt
  families: MaybeJson
  providers: MaybeJson
  addresses: MaybeJson
  last_used_at: MaybeInt
  /** Rises with each change of what it may do. */
  version: Int
  /** Until when it is kept what goes over the wire for its requests; null = it is not. */
  traced_until: MaybeInt
  /** 1 = it belongs to its project instead of a person; null = it does not. */
  service: MaybeInt
}

/** By what a key is known: one, or several for a while after it was rotated. */
export interface KeySecretTable {
  /** SHA-256. */
  hash: Uint8Array
  key_id: string
  /** Its first and last characters. */
  prefix: string
  created_at: Int
  /** Null = with its key. */
  expires_at: MaybeInt
}

/** What went over the wire for a request, of both sides. */
export interface TraceTable {
  request_id: string
  key_id: string
  at: Int
  /** When it is deleted. */
  ends_at: Int
  /** Encrypted. */
  sealed: string
}

/** Who the principals of usage are: keys of the store, and those of the configuration. */
export interface PrincipalTable {
  id: string
  project: string
  environment: string
  /** Id of the person who made it. */
  member: MaybeText
  name: MaybeText
}

/** A request whose answer takes longer than a connection lasts. Times are Unix milliseconds. */
export interface TaskTable {
  id: string
  family: string
  /** Id of a key. */
  owner: string
  model: string
  provider: string
  provider_model: string
  tier: string
  status: TaskStatus
  created_at: Int
  updated_at: Int
  /** When it is to be looked at next; null = never. */
  next_at: MaybeInt
  /** Nobody else gets it before; 0 = nobody has it. */
  held_until: Int
  kept_until: MaybeInt
  /** When it is deleted, whatever has become of it by then. */
  ends_at: Int
  version: Int
  data: JsonText
}

/** An answer that later requests may name. */
export interface AnswerTable {
  /** The person in a project, the project or the key that it belongs to, as core writes it. */
  owner: string
  id: string
  /** Id of the key. */
  made_by: string
  /** Where it lives; null = here. */
  provider: MaybeText
  model: string
  created_at: Int
  kept_until: Int
  /** When it is forgotten that it was there. */
  ends_at: Int
  items: JsonText
  /** Of `data`, in characters. */
  size: Int
  /** Sealed; null where it does not live here, or is kept no longer. */
  data: MaybeText
  /** Id of the project of the key; null = it has none. */
  project: MaybeText
}

/** The store: the same tables and types in SQLite and in Postgres. */
export interface Tables extends AccountsTables {
  keys: KeyTable
  key_secrets: KeySecretTable
  traces: TraceTable
  principals: PrincipalTable
  model_lists: { provider: string; models: JsonText; read_at: Int }
  prices: { id: string; provider: string; model: string; source: string; valid_from: Int; rates: JsonText }
  usage: UsageTable
  usage_attempts: AttemptTable
  usage_groups: GroupTable
  usage_hours: HourTable
  usage_days: DayTable
  usage_model_days: ModelDayTable
  usage_key_days: KeyDayTable
  usage_tag_hours: TagHourTable
  usage_tag_days: TagDayTable
  usage_upstream_days: UpstreamDayTable
  /** And how many first bytes took how long: a column for each class. */
  usage_first_byte_hours: { hour: Int; principal: string }
  /** The same of days in UTC, by their starts. */
  usage_first_byte_days: { day: Int; principal: string }
  tasks: TaskTable
  /** Until when what a provider's tasks were granted is used up, in Unix microseconds. */
  task_paces: { provider: string; spent_until: Int }
  answers: AnswerTable
  /** Names of an answer beside its id. */
  answer_items: { owner: string; id: string; answer: string; ends_at: Int }
  budgets: BudgetTable
  budget_windows: BudgetWindowTable
  budget_leases: BudgetLeaseTable
  budget_alerts: BudgetAlertTable
  budget_held: BudgetHeldTable
  lives: LifeTable
  usage_budgets: UsageBudgetTable
  /** How far a segment of a life's journal is in the store. */
  taken: { life: string; segment: Int; upto: Int }
  /** Versions that rise when something changes that processes remember. */
  changes: { topic: string; version: Int }
  settings: { name: string; value: string }
}
