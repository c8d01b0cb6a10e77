import { type Cell, csvLine } from '../csv.ts'
import { cellsOf } from './field.ts'
import { USAGE_FIELDS } from './fields.ts'
import type { OwnedUsage } from './rows.ts'

type ExportColumn = readonly [name: string, cell: (row: OwnedUsage) => Cell]

const OWNER: readonly ExportColumn[] = [
  ['key_name', (row) => row.keyName],
  ['project', (row) => row.project],
  ['project_name', (row) => row.projectName],
  ['environment', (row) => row.environment],
  ['member', (row) => row.member],
  ['member_name', (row) => row.memberName],
]

/** Columns in their order: the fields of a row, with the owners of the key and all names after the key. */
const COLUMNS: readonly ExportColumn[] = cellsOf(USAGE_FIELDS).flatMap((column) =>
  column[0] === USAGE_FIELDS.principal.csv ? [column, ...OWNER] : [column],
)

/** First line of a CSV export (RFC 4180): the column names. */
export function csvHead(): string {
  return csvLine(COLUMNS.map(([name]) => name))
}

/** CSV lines of rows, without `csvHead`. */
export function csvOf(rows: readonly OwnedUsage[]): string {
  let text = ''
  for (const row of rows) text += csvLine(COLUMNS.map(([, cell]) => cell(row)))
  return text
}

/** Rows as lines of JSON, with nano-dollars as decimal strings. */
export function ndjsonOf(rows: readonly OwnedUsage[]): string {
  let text = ''
  for (const row of rows) text += `${JSON.stringify(row)}\n`
  return text
}
