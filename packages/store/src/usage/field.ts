import type { Cell } from '../csv.ts'
import type { Column, ColumnValue } from '../schema/declare.ts'
import type { FieldKind, SelectedValue } from './kinds.ts'

/** Field of a row of type `Row`. */
export interface RowField<Row, Name extends string = string, C extends Column = Column, Read = unknown> {
  readonly kind: Name
  readonly column: C
  /** Description for documentation, of the API and of the table. */
  readonly description: string
  /** CSV column name, if it differs from the column of the table. */
  readonly csv?: string | undefined
  /** Value to store. */
  value(row: Row): ColumnValue
  read(stored: SelectedValue<C>): Read
  cell(value: Read): Cell
}

/** Fields by camel-case name: `providerModel` is the column `provider_model`. */
export type RowFields<Row = never> = Readonly<Record<string, RowField<Row>>>

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''

/** Columns of a table. */
export type ColumnsOf<All extends RowFields> = {
  readonly [Name in keyof All as Snake<Name & string>]: All[Name]['column']
}

/** Row as read from the table. */
export type StoredOf<All extends RowFields> = { readonly [Name in keyof All]: ReturnType<All[Name]['read']> }

/** Name of the column of a field. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export function columnsOf<All extends RowFields>(fields: All): ColumnsOf<All> {
  const columns = Object.entries(fields).map(([name, { column }]) => [columnName(name), column])
  return Object.fromEntries(columns) as ColumnsOf<All>
}

/** Function that returns the values of a row in the order of the fields, after `leading` null values. */
export function writerOf<Row>(fields: RowFields<Row>, leading: number): (row: Row) => ColumnValue[] {
  const all = Object.values(fields).map(({ value }) => value)
  const blank: readonly ColumnValue[] = [...Array<null>(leading).fill(null), ...all.map(() => null)]
  return (row) => {
    const values = blank.slice()
    let at = leading
    for (const value of all) values[at++] = value(row)
    return values
  }
}

/** Function that reads rows of a table with the columns of the fields. */
export function readerOf<All extends RowFields>(
  fields: All,
): (row: { readonly [Name in keyof ColumnsOf<All>]: unknown }) => StoredOf<All> {
  const all = Object.entries(fields as Readonly<Record<string, { read(stored: unknown): unknown }>>).map(
    ([name, { read }]) => ({ name, column: columnName(name), read }),
  )
  return (row) => {
    const columns: Readonly<Record<string, unknown>> = row
    const stored: Record<string, unknown> = {}
    for (const { name, column, read } of all) stored[name] = read(columns[column])
    return stored as StoredOf<All>
  }
}

/** CSV columns of the fields. */
export function cellsOf(fields: RowFields): readonly (readonly [name: string, cell: (row: object) => Cell])[] {
  return Object.entries(fields as Readonly<Record<string, { csv?: string; cell(value: unknown): Cell }>>).map(
    ([name, { csv, cell }]) => [
      csv ?? columnName(name),
      (row) => cell((row as Readonly<Record<string, unknown>>)[name]),
    ],
  )
}

/** Function that declares fields of rows. Its `of` returns the value from a row. */
export function fieldOf<Row>() {
  return <Name extends string, C extends Column, Given, Read>(
    { name, column, write, read, cell }: FieldKind<Name, C, Given, Read>,
    of: (row: Row) => Given,
    description: string,
    csv?: string,
  ): RowField<Row, Name, C, Read> => ({
    kind: name,
    column,
    description,
    csv,
    value: (row) => write(of(row)),
    read,
    cell,
  })
}
