import type { TaskStatus } from '@headgate/core/store'
import type { AccountsTables } from './accounts-tables.ts'
import type { Int, JsonText, MaybeInt, MaybeJson, MaybeText } from './column-types.ts'
import type { DIMENSIONS, MEASURES, UPSTREAM_MEASURES } from './columns.ts'

type Dimensions = Record<Exclude<(typeof DIMENSIONS)[number], 'status'>, string> & { readonly status: Int }
type Measures = Record<(typeof MEASURES)[number], Int>

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

/** One request. Times are Unix milliseconds, money is nano-dollars, null is unknown. */
export interface UsageTable {
  /** UUIDv7. */
  id: string
  /** When it began. */
  at: Int
  /** Of `usage_groups`. */
  group_id: Int
  request_id: string
  principal: string
  family: string
  format: string
  model: string
  provider: string
  provider_model: string
  stream: Int
  translated: Int
  status: Int
  input: MaybeInt
  output: MaybeInt
  cache_read: MaybeInt
  cache_write: MaybeInt
  cache_write_long: MaybeInt
  reasoning: MaybeInt
  audio_input: MaybeInt
  audio_output: MaybeInt
  units: MaybeJson
  estimated: Int
  cost: MaybeInt
  charged: MaybeInt
  held: MaybeInt
  price_id: MaybeText
  billed: Int
  why: string
  finish: MaybeText
  failure: MaybeText
  losses: MaybeJson
  /** Id of the row whose cost it sets right. */
  corrects: MaybeText
  first_byte_ms: MaybeInt
  duration_ms: Int
  /** What the caller said of it: names and values. */
  tags: MaybeJson
}

/** One call of an upstream. `at` is that of its row of `usage`. */
export interface AttemptTable {
  at: Int
  usage_id: string
  position: Int
  provider: string
  model: string
  started_at: Int
  duration_ms: Int
  status: MaybeInt
  failure: MaybeText
  cost: MaybeInt
  price_id: MaybeText
}

/** Which combinations of dimensions occur in `usage`. */
export interface GroupTable extends Dimensions {
  id: Int
  /** Start of the last hour in which it did. */
  last_at: Int
}

export interface HourTable extends Dimensions, Measures {
  /** Its start. */
  hour: Int
}

export interface DayTable extends Dimensions, Measures {
  /** `2026-11-01`, in the time zone of the organisation. */
  day: string
}

/** Days without keys: so few rows that weeks of them are summed up at once, however many keys there are. */
export type ModelDayTable = Omit<DayTable, 'principal'>

/** Days without models: the same for sums by key, and by whose keys they are. */
export type KeyDayTable = Omit<DayTable, 'provider' | 'model'>

/** Sums by a tag of requests and its value. */
interface TagTable extends Measures {
  /** Of the key; empty where it is not known. */
  project: string
  /** Its name; empty = those that came when a day had as many as it may have. */
  tag: string
  /** Empty = those that came when the tag had as many that day as it may have. */
  value: string
}

export type TagHourTable = TagTable & { hour: Int }
export type TagDayTable = TagTable & { day: string }

/** What an upstream was called for, and what it charges, by its own name of the model. */
export interface UpstreamDayTable extends Record<(typeof UPSTREAM_MEASURES)[number], Int> {
  /** Start of the day in UTC. */
  day: Int
  provider: string
  model: string
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

/** A budget. Amounts are nano-dollars, times Unix milliseconds. */
export interface BudgetTable {
  id: string
  scope: string
  owner: string
  name: string
  limit_nanos: Int
  period: string
  zone: string
  soft: Int
  counts: string
  /** `config` where the configuration names it, else `store`. */
  source: string
  created_at: Int
  removed_at: MaybeInt
  /** Of the topic `budgets` of `changes`, when it was last changed. */
  version: Int
}

/** What is spent of a budget in one of its windows. */
export interface BudgetWindowTable {
  budget: string
  win: string
  starts_at: Int
  /** Null = never. */
  ends_at: MaybeInt
  spent: Int
  /** What lives may spend beyond it: the sum of what their leases have left. */
  leased: Int
  /** Rises whenever lives are asked to give back what they do not need. */
  recall: Int
}

/** A share of a budget that was spent in a window, as the budget was then. */
export interface BudgetAlertTable {
  /** Of budget, window, share and limit. */
  id: string
  budget: string
  win: string
  ends_at: MaybeInt
  percent: Int
  name: string
  scope: string
  owner: string
  soft: Int
  limit_nanos: Int
  spent: Int
  at: Int
  /** How often somebody has taken it to tell of it. */
  tries: Int
  /** Nobody gets it before; null = nobody any more. */
  next_at: MaybeInt
  /** When somebody was told. */
  done_at: MaybeInt
}

/** What a life may spend in a window. */
export interface BudgetLeaseTable {
  budget: string
  win: string
  life: string
  granted: Int
  /** Of that, what its rows in the store have used; may be more, where a bound was too small. */
  used: Int
  /** Of the last change that the life asked for, and what it changed: one that is asked for again changes nothing. */
  seq: Int
  delta: Int
  /** The last recall that it has answered. */
  answered: Int
}

/** A run of a process that leases budgets. */
export interface LifeTable {
  id: string
  /** Name of its machine. */
  node: string
  seen_at: Int
  /** `open`; `closed`: its journal was read to the end; `doubt`: some of its journal is lost. */
  state: string
}

/** What a row of `usage` counts for in a window of a budget. */
export interface UsageBudgetTable {
  at: Int
  usage_id: string
  budget: string
  win: string
  amount: Int
}

/** An answer that later requests may name. */
export interface AnswerTable {
  /** Id of a project, or of a key that has none. */
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
  lives: LifeTable
  usage_budgets: UsageBudgetTable
  /** How far a segment of a life's journal is in the store. */
  taken: { life: string; segment: Int; upto: Int }
  /** Versions that rise when something changes that processes remember. */
  changes: { topic: string; version: Int }
  settings: { name: string; value: string }
}
