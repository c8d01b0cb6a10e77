import { ATTEMPT_COLUMNS, USAGE_COLUMNS } from '../usage/fields.ts'
import { int, ints, table, text, uuid } from './declare.ts'
import { FIRST_BYTE_CLASSES } from './first-bytes.ts'

/** Units with a column in sums. Others are in the rows only. */
export const UNITS = ['searches', 'images', 'seconds', 'characters', 'pages'] as const

/**
 * Summed columns: columns of `usage` with the same name, and numbers of rows in `requests`, `unpriced` (unknown cost) and
 * `usage_unknown` (the part of `unpriced` whose usage is unknown; the other part has no price).
 */
export const MEASURES = [
  'requests',
  'unpriced',
  'usage_unknown',
  'input',
  'output',
  'cache_read',
  'cache_write',
  'cache_write_long',
  'reasoning',
  'audio_input',
  'audio_output',
  ...UNITS,
  'cost',
  'charged',
  'held',
] as const

/** `why` of a correction that gives a request its price. It does not count as a request, and its request no longer as unpriced. */
export const PRICED = 'priced'

/** SQL condition of failed and lost requests, of a row `u`. */
export const FAILED_STATUS = 'u.status < 200 OR u.status >= 400'
/** SQL of the number of failed requests of a row of sums `u`. */
export const FAILED_REQUESTS = `CASE WHEN ${FAILED_STATUS} THEN u.requests ELSE 0 END`

/** Roll-ups with a column of failed requests. */
export const FAILED_ROLL_UPS = ['usage_key_days', 'usage_key_model_days'] as const

/** Summed columns of upstream calls, and of the usage that upstreams reported. */
export const UPSTREAM_MEASURES = ['calls', 'unpriced', 'input', 'output', 'cache_read', 'cache_write', 'cost'] as const

/**
 * Dimensions of sums, in the key order of hours, so that sums by model need no sorting. Days with keys are ordered by
 * key.
 */
export const DIMENSIONS = ['model', 'provider', 'principal', 'family', 'status'] as const

const ofModel = { provider: text, model: text, family: text, status: int } as const
const dimensions = { principal: text, ...ofModel } as const
const measures = ints(MEASURES)
/** Number of failed requests, where the status is not a dimension. */
const failed = { failed: int } as const
/** A column per class; statements build their names. */
const firstByteClasses: object = ints(FIRST_BYTE_CLASSES)

const tag = {
  /** Project of the key; empty = unknown. */
  project: text,
  /** Name of the tag; empty = sum of the names above the limit of a day. */
  tag: text,
  /** Empty = sum of the values above the limit of a tag and day. */
  value: text,
} as const

/** Requests and their sums. Times are Unix milliseconds, money is nano-dollars, null is unknown. */
export const USAGE_TABLES = {
  /** A row per request. A repeated write is harmless due to the key, which sorts by time. */
  usage: table({
    columns: {
      /** Id in `usage_groups`. */
      group_id: int,
      ...USAGE_COLUMNS,
    },
    key: ['at', 'id'],
    partitioned: true,
    // Rows of one combination of dimensions are adjacent, so that any filter by dimensions is fast.
    indexes: { by_group: '(group_id, at)', held: '(at, id) WHERE held > 0' },
  }),

  /** A row per upstream call. `at` is the value in its row of `usage`. */
  usage_attempts: table({
    columns: {
      at: int,
      usage_id: uuid,
      position: int,
      ...ATTEMPT_COLUMNS,
    },
    key: ['at', 'usage_id', 'position'],
    partitioned: true,
    clustered: true,
  }),

  /** Combinations of dimensions that occur in `usage`. */
  usage_groups: table({
    columns: {
      id: int,
      ...dimensions,
      /** Start of the last hour with a row of this combination. */
      last_at: int,
    },
    key: ['id'],
  }),

  usage_hours: table({
    columns: {
      /** Start of the hour. */
      hour: int,
      ...dimensions,
      ...measures,
    },
    key: ['hour', ...DIMENSIONS],
    clustered: true,
  }),

  usage_days: table({
    columns: {
      /** `2026-11-01`, in the time zone of the store. */
      day: text,
      ...dimensions,
      ...measures,
    },
    key: ['day', 'principal', 'model', 'provider', 'family', 'status'],
    clustered: true,
  }),

  /** Days without keys: a series reads few rows, however many keys exist. */
  usage_model_days: table({
    columns: { day: text, ...ofModel, ...measures },
    key: ['day', 'model', 'provider', 'family', 'status'],
    clustered: true,
  }),

  /** Days by key only, for sums by key and by owner: a row for each key. */
  usage_key_days: table({
    columns: { day: text, principal: text, ...measures, ...failed },
    key: ['day', 'principal'],
    clustered: true,
  }),

  /** Days without models, for sums by owner and status. */
  usage_key_status_days: table({
    columns: { day: text, principal: text, family: text, status: int, ...measures },
    key: ['day', 'principal', 'family', 'status'],
    clustered: true,
  }),

  /** Days by key, model and provider, for sums by owner and one of these: a few rows for each key. */
  usage_key_model_days: table({
    columns: { day: text, principal: text, model: text, provider: text, ...measures, ...failed },
    key: ['day', 'principal', 'model', 'provider'],
    clustered: true,
  }),

  usage_tag_hours: table({
    columns: { hour: int, ...tag, ...measures },
    key: ['tag', 'hour', 'project', 'value'],
    clustered: true,
    indexes: { by_hour: '(hour)' },
  }),

  usage_tag_days: table({
    columns: { day: text, ...tag, ...measures },
    key: ['tag', 'day', 'project', 'value'],
    clustered: true,
    indexes: { by_day: '(day, project, tag)' },
  }),

  /** Calls and charges by model names of the provider. */
  usage_upstream_days: table({
    columns: {
      /** Start of the day in UTC. */
      day: int,
      provider: text,
      model: text,
      ...ints(UPSTREAM_MEASURES),
    },
    key: ['provider', 'day', 'model'],
    clustered: true,
  }),

  /** First-byte histogram by hour. */
  usage_first_byte_hours: table({
    columns: { hour: int, principal: text, ...firstByteClasses },
    key: ['hour', 'principal'],
    clustered: true,
  }),

  /** First-byte histogram by day, by the start of the day in UTC. */
  usage_first_byte_days: table({
    columns: { day: int, principal: text, ...firstByteClasses },
    key: ['day', 'principal'],
    clustered: true,
  }),
}

/** True for the status of a failed or lost request. */
export function isFailed(status: number): boolean {
  return status < 200 || status >= 400
}
