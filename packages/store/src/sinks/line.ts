import type { Column, ColumnValue } from '../schema/declare.ts'
import { columnName } from '../usage/field.ts'
import { USAGE_FIELDS } from '../usage/fields.ts'
import type { RowOwner } from '../usage/owners.ts'
import type { LedgerRow } from '../usage/row.ts'

/** Value of a column of a record. */
export type RecordValue = string | number | boolean | object | null

/** Usage row as sinks get it, by column name. */
export type SinkRecord = Readonly<Record<string, RecordValue>>

/** Line of a backlog, split. */
export interface BacklogLine {
  readonly id: string
  /** Hour in which the request began, as `2026-01-31T23`, in UTC. */
  readonly hour: string
  readonly principal: string
  /** Record without owners, as JSON. */
  readonly json: string
}

interface RecordField {
  readonly kind: string
  readonly column: Column
  readonly csv?: string | undefined
  value(row: LedgerRow): ColumnValue
  read(stored: unknown): unknown
}

type RecordColumn = readonly [name: string, value: (row: LedgerRow) => RecordValue]

const FIELDS: Readonly<Record<string, RecordField>> = USAGE_FIELDS as unknown as Readonly<Record<string, RecordField>>

/** Columns of a record before the owners of its key, with the names of CSV exports. */
const COLUMNS: readonly RecordColumn[] = Object.entries(FIELDS).map(([name, field]) => [
  field.csv ?? columnName(name),
  valueReader(field),
])

/** Columns of the owners of a key, with the names of CSV exports. */
const OWNER_COLUMNS = [
  ['key_name', 'keyName', 'Current name of the key; null if unknown.'],
  ['project', 'project', 'Id of the project of the key; null if unknown.'],
  ['project_name', 'projectName', 'Current name of the project; null if unknown.'],
  ['environment', 'environment', 'Environment of the key; null if unknown.'],
  ['member', 'member', 'Id of the user who created the key; null without one.'],
  ['member_name', 'memberName', 'Current name of this user; null without one.'],
] as const satisfies readonly (readonly [name: string, field: keyof RowOwner, description: string])[]

/** Column of a record, with the kind of its value. */
export interface DescribedColumn {
  readonly name: string
  readonly kind: string
  readonly description: string
}

/** Columns of records in their order, for documentation. */
export const RECORD_COLUMNS: readonly DescribedColumn[] = [
  ...Object.entries(USAGE_FIELDS).map(([name, { csv, kind, description }]) => ({
    name: csv ?? columnName(name),
    kind,
    description,
  })),
  ...OWNER_COLUMNS.map(([name, , description]) => ({ name, kind: 'maybe-text', description })),
]

/** Record of a row without the owners of its key. */
export function recordOf(row: LedgerRow): SinkRecord {
  const record: Record<string, RecordValue> = {}
  for (const [name, value] of COLUMNS) record[name] = value(row)
  return record
}

/** Times are ISO 8601, and money is in nano-dollars. */
function valueReader({ kind, column, value, read }: RecordField): (row: LedgerRow) => RecordValue {
  return (row) => {
    const stored = value(row)
    if (kind === 'time') return timeOf(Number(stored))
    if (column.kind !== 'int' || stored === null) return read(stored) as RecordValue
    return kind === 'flag' ? Number(stored) !== 0 : Number(stored)
  }
}

/** ISO 8601 string; null for a time that a date cannot have. */
function timeOf(at: number): string | null {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : null
}

/** Line of a backlog with a line feed. Only its JSON can contain other characters than visible ones. */
export function backlogLine(row: LedgerRow): string {
  const hour = timeOf(row.startedAt)?.slice(0, 13) ?? ''
  return `${row.id}\t${hour}\t${encodeURIComponent(row.principal)}\t${JSON.stringify(recordOf(row))}\n`
}

/** Parts of a line; undefined if it is damaged. */
export function readBacklogLine(line: string): BacklogLine | undefined {
  const [id, hour, principal] = line.split('\t', 3)
  if (id === undefined || hour === undefined || principal === undefined) return undefined
  const json = line.slice(id.length + hour.length + principal.length + 3)
  if (!json.startsWith('{') || !json.endsWith('}')) return undefined
  return { id, hour, principal: decodeURIComponent(principal), json }
}

/** JSON of a record with the owners of its key. */
export function ownedJson(json: string, owner: RowOwner): string {
  const owned = OWNER_COLUMNS.map(([name, field]) => `"${name}":${JSON.stringify(owner[field])}`)
  return `${json.slice(0, -1)},${owned.join()}}`
}
