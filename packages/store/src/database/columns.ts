import { ACCOUNTS_TABLES } from './accounts-columns.ts'
import { FIRST_BYTE_CLASSES } from './first-byte-columns.ts'

/** How a column is held: `int` 64 bits, `uuid` as text in SQLite, `bytes` a blob. */
export type ColumnKind = 'int' | 'text' | 'uuid' | 'bytes'

/** What goes into a column, in either store. */
export type Value = number | bigint | string | Uint8Array | null

export interface TableColumns {
  readonly columns: Readonly<Record<string, ColumnKind>>
  readonly key: readonly string[]
}

/** What is summed up: of each row of `usage` as the name says, and of a row itself in `requests` and `unpriced`. */
export const MEASURES = [
  ...(['requests', 'unpriced'] as const),
  ...([
    'input',
    'output',
    'cache_read',
    'cache_write',
    'cache_write_long',
    'reasoning',
    'audio_input',
    'audio_output',
  ] as const),
  ...(['searches', 'images', 'seconds', 'characters', 'pages'] as const),
  ...(['cost', 'charged', 'held'] as const),
] as const

/** What is summed up of calls of upstreams, and of the answers that they gave. */
export const UPSTREAM_MEASURES = ['calls', 'unpriced', 'input', 'output', 'cache_read', 'cache_write', 'cost'] as const

/** Units that roll-ups have a column for; others are in the rows alone. */
export const UNITS = ['searches', 'images', 'seconds', 'characters', 'pages'] as const

/**
 * By what usage is summed up, in the order of the keys of hours: sums by model need no sorting. Days with keys lie by
 * key.
 */
export const DIMENSIONS = ['model', 'provider', 'principal', 'family', 'status'] as const

const ints = <const Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, 'int'])) as Record<Name, 'int'>

const dimensions = { principal: 'text', provider: 'text', model: 'text', family: 'text', status: 'int' } as const

/** Every table of the store but those of the migrations, in the order in which they can be filled. */
export const TABLES = {
  settings: { columns: { name: 'text', value: 'text' }, key: ['name'] },
  changes: { columns: { topic: 'text', version: 'int' }, key: ['topic'] },
  keys: {
    columns: {
      id: 'text',
      project: 'text',
      environment: 'text',
      created_by: 'text',
      name: 'text',
      models: 'text',
      search: 'text',
      scopes: 'text',
      created_at: 'int',
      expires_at: 'int',
      revoked_at: 'int',
      requests_per_minute: 'int',
      tokens_per_minute: 'int',
      concurrent: 'int',
      families: 'text',
      providers: 'text',
      addresses: 'text',
      last_used_at: 'int',
      version: 'int',
      traced_until: 'int',
      service: 'int',
    },
    key: ['id'],
  },
  key_secrets: {
    columns: { hash: 'bytes', key_id: 'text', prefix: 'text', created_at: 'int', expires_at: 'int' },
    key: ['hash'],
  },
  traces: {
    columns: { request_id: 'text', key_id: 'text', at: 'int', ends_at: 'int', sealed: 'text' },
    key: ['request_id'],
  },
  principals: {
    columns: { id: 'text', project: 'text', environment: 'text', member: 'text', name: 'text' },
    key: ['id'],
  },
  model_lists: { columns: { provider: 'text', models: 'text', read_at: 'int' }, key: ['provider'] },
  prices: {
    columns: { id: 'text', provider: 'text', model: 'text', source: 'text', valid_from: 'int', rates: 'text' },
    key: ['id'],
  },
  usage: {
    columns: {
      id: 'uuid',
      at: 'int',
      group_id: 'int',
      request_id: 'text',
      principal: 'text',
      family: 'text',
      format: 'text',
      model: 'text',
      provider: 'text',
      provider_model: 'text',
      stream: 'int',
      translated: 'int',
      status: 'int',
      input: 'int',
      output: 'int',
      cache_read: 'int',
      cache_write: 'int',
      cache_write_long: 'int',
      reasoning: 'int',
      audio_input: 'int',
      audio_output: 'int',
      units: 'text',
      estimated: 'int',
      cost: 'int',
      charged: 'int',
      held: 'int',
      price_id: 'text',
      billed: 'int',
      why: 'text',
      finish: 'text',
      failure: 'text',
      losses: 'text',
      corrects: 'uuid',
      first_byte_ms: 'int',
      duration_ms: 'int',
      tags: 'text',
    },
    key: ['at', 'id'],
  },
  usage_attempts: {
    columns: {
      at: 'int',
      usage_id: 'uuid',
      position: 'int',
      provider: 'text',
      model: 'text',
      started_at: 'int',
      duration_ms: 'int',
      status: 'int',
      failure: 'text',
      cost: 'int',
      price_id: 'text',
    },
    key: ['at', 'usage_id', 'position'],
  },
  usage_groups: { columns: { id: 'int', ...dimensions, last_at: 'int' }, key: ['id'] },
  usage_hours: { columns: { hour: 'int', ...dimensions, ...ints(MEASURES) }, key: ['hour', ...DIMENSIONS] },
  usage_days: {
    columns: { day: 'text', ...dimensions, ...ints(MEASURES) },
    key: ['day', 'principal', 'model', 'provider', 'family', 'status'],
  },
  usage_model_days: {
    columns: { day: 'text', provider: 'text', model: 'text', family: 'text', status: 'int', ...ints(MEASURES) },
    key: ['day', 'model', 'provider', 'family', 'status'],
  },
  usage_key_days: {
    columns: { day: 'text', principal: 'text', family: 'text', status: 'int', ...ints(MEASURES) },
    key: ['day', 'principal', 'family', 'status'],
  },
  usage_tag_hours: {
    columns: { hour: 'int', project: 'text', tag: 'text', value: 'text', ...ints(MEASURES) },
    key: ['tag', 'hour', 'project', 'value'],
  },
  usage_tag_days: {
    columns: { day: 'text', project: 'text', tag: 'text', value: 'text', ...ints(MEASURES) },
    key: ['tag', 'day', 'project', 'value'],
  },
  usage_upstream_days: {
    columns: { day: 'int', provider: 'text', model: 'text', ...ints(UPSTREAM_MEASURES) },
    key: ['provider', 'day', 'model'],
  },
  usage_first_byte_hours: {
    columns: { hour: 'int', principal: 'text', ...ints(FIRST_BYTE_CLASSES) },
    key: ['hour', 'principal'],
  },
  usage_first_byte_days: {
    columns: { day: 'int', principal: 'text', ...ints(FIRST_BYTE_CLASSES) },
    key: ['day', 'principal'],
  },
  tasks: {
    columns: {
      id: 'text',
      family: 'text',
      owner: 'text',
      model: 'text',
      provider: 'text',
      provider_model: 'text',
      tier: 'text',
      status: 'text',
      created_at: 'int',
      updated_at: 'int',
      next_at: 'int',
      held_until: 'int',
      kept_until: 'int',
      ends_at: 'int',
      version: 'int',
      data: 'text',
    },
    key: ['id'],
  },
  task_paces: { columns: { provider: 'text', spent_until: 'int' }, key: ['provider'] },
  answers: {
    columns: {
      owner: 'text',
      id: 'text',
      made_by: 'text',
      provider: 'text',
      model: 'text',
      created_at: 'int',
      kept_until: 'int',
      ends_at: 'int',
      items: 'text',
      size: 'int',
      data: 'text',
      project: 'text',
    },
    key: ['owner', 'id'],
  },
  answer_items: { columns: { owner: 'text', id: 'text', answer: 'text', ends_at: 'int' }, key: ['owner', 'id'] },
  budgets: {
    columns: {
      id: 'text',
      scope: 'text',
      owner: 'text',
      name: 'text',
      limit_nanos: 'int',
      period: 'text',
      zone: 'text',
      soft: 'int',
      counts: 'text',
      source: 'text',
      created_at: 'int',
      removed_at: 'int',
      version: 'int',
    },
    key: ['id'],
  },
  budget_windows: {
    columns: {
      budget: 'text',
      win: 'text',
      starts_at: 'int',
      ends_at: 'int',
      spent: 'int',
      leased: 'int',
      recall: 'int',
    },
    key: ['budget', 'win'],
  },
  budget_leases: {
    columns: {
      budget: 'text',
      win: 'text',
      life: 'text',
      granted: 'int',
      used: 'int',
      seq: 'int',
      delta: 'int',
      answered: 'int',
    },
    key: ['budget', 'win', 'life'],
  },
  budget_alerts: {
    columns: {
      id: 'text',
      budget: 'text',
      win: 'text',
      ends_at: 'int',
      percent: 'int',
      name: 'text',
      scope: 'text',
      owner: 'text',
      soft: 'int',
      limit_nanos: 'int',
      spent: 'int',
      at: 'int',
      tries: 'int',
      next_at: 'int',
      done_at: 'int',
    },
    key: ['id'],
  },
  lives: { columns: { id: 'text', node: 'text', seen_at: 'int', state: 'text' }, key: ['id'] },
  usage_budgets: {
    columns: { at: 'int', usage_id: 'uuid', budget: 'text', win: 'text', amount: 'int', held: 'int' },
    key: ['at', 'usage_id', 'budget', 'win'],
  },
  budget_held: {
    columns: { budget: 'text', win: 'text', principal: 'text', life: 'text', held: 'int' },
    key: ['budget', 'win', 'principal', 'life'],
  },
  taken: { columns: { life: 'text', segment: 'int', upto: 'int' }, key: ['life', 'segment'] },
  ...ACCOUNTS_TABLES,
} as const satisfies Record<string, TableColumns>

export type TableName = keyof typeof TABLES

/** Tables of sums of rows. */
export const ROLL_UPS = ['usage_hours', 'usage_days', 'usage_model_days', 'usage_key_days'] as const

/** Those whose days are days of the organisation, by their names. */
export const NAMED_DAYS = ['usage_days', 'usage_model_days', 'usage_key_days', 'usage_tag_days'] as const
