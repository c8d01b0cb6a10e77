import type { Table } from '../../packages/store/src/schema/declare.ts'
import { TABLES } from '../../packages/store/src/schema/tables.ts'
import { UNITS } from '../../packages/store/src/schema/usage.ts'
import { columnName } from '../../packages/store/src/usage/field.ts'
import { ATTEMPT_FIELDS, USAGE_FIELDS } from '../../packages/store/src/usage/fields.ts'
import { code, table } from './markdown.ts'

type Meanings = Readonly<Record<string, string>>

/** Notes on kinds of fields that need an explanation. */
const NOTES: Meanings = {
  flag: '1 = yes, 0 = no.',
  time: 'Unix time in milliseconds.',
  money: 'Nano-dollars (10⁻⁹ US dollars).',
  units: 'JSON.',
  tags: 'JSON.',
  losses: 'JSON.',
  routing: 'JSON.',
}

const USAGE: Meanings = {
  group_id: 'Combination of key, provider, model, family and status; indexed.',
  ...meaningsOf(USAGE_FIELDS),
}

const ATTEMPTS: Meanings = {
  at: '`at` of the row in `usage`.',
  usage_id: '`id` of the row in `usage`.',
  position: 'Position, from 0.',
  ...meaningsOf(ATTEMPT_FIELDS),
}

const SHARES = 'Sum of the column in `usage`; unknown counts as 0.'

/** Columns of `usage_hours`, and of `usage_days` except `hour`. Other columns are sums of the column with their name. */
const SUMS: Meanings = {
  hour: 'Start of the hour: Unix time in milliseconds.',
  ...named(['principal', 'provider', 'model', 'family'], 'As in `usage`, cut after 200 characters.'),
  status: 'As in `usage`.',
  requests: 'Number of rows.',
  unpriced: 'Number of rows whose cost is unknown.',
  usage_unknown: 'Number of rows whose cost is unknown because their usage is; the rest of `unpriced` has no price.',
  ...named(UNITS, 'Sum of the unit in `usage`.'),
}

/** Columns of `usage`. */
export const usageColumns = (): string => columnsOf('usage', (name) => USAGE[name])

/** Columns of `usage_attempts`. */
export const attemptColumns = (): string => columnsOf('usage_attempts', (name) => ATTEMPTS[name])

/** Columns of `usage_hours`; `usage_days` differs only in the first. */
export const hourColumns = (): string => columnsOf('usage_hours', (name) => SUMS[name] ?? (USAGE[name] && SHARES))

function columnsOf(name: keyof typeof TABLES, meaningOf: (column: string) => string | undefined): string {
  const { columns }: Table = TABLES[name]
  const rows = Object.entries(columns).map(([column, { null: isNullable }]) => {
    const meaning = meaningOf(column)
    if (!meaning) throw new Error(`The column ${name}.${column} has no meaning in tools/docs/usage-columns.ts.`)
    return [code(column), isNullable ? 'yes' : '', meaning]
  })
  return table(['column', 'may be null', 'meaning'], rows)
}

function meaningsOf(fields: Readonly<Record<string, { kind: string; description: string }>>): Meanings {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { kind, description }]) => {
      const note = NOTES[kind]
      return [columnName(name), note ? `${description} ${note}` : description]
    }),
  )
}

function named(names: readonly string[], meaning: string): Meanings {
  return Object.fromEntries(names.map((name) => [name, meaning]))
}
