import type { Int, MaybeInt, MaybeJson, MaybeText } from './column-types.ts'
import type { DIMENSIONS, MEASURES, UPSTREAM_MEASURES } from './columns.ts'

type Dimensions = Record<Exclude<(typeof DIMENSIONS)[number], 'status'>, string> & { readonly status: Int }
type Measures = Record<(typeof MEASURES)[number], Int>

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
