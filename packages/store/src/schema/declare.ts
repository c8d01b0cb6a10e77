import type { ColumnType } from 'kysely'

/** Type of a stored value: `int` has 64 bits, `uuid` is text in SQLite, `bytes` is a blob. */
export type ColumnKind = 'int' | 'text' | 'uuid' | 'bytes'

/** Value of a column, in either database. */
export type ColumnValue = number | bigint | string | Uint8Array | null

export interface Column<
  Kind extends ColumnKind = ColumnKind,
  Null extends boolean = boolean,
  Text extends string = string,
> {
  readonly kind: Kind
  /** True if the column may be null. */
  readonly null: Null
  /** Union of allowed strings, for the compiler only. */
  readonly text?: Text
}

export const int: Column<'int', false> = { kind: 'int', null: false }
export const text: Column<'text', false> = { kind: 'text', null: false }
/** JSON as text, which no statement parses. */
export const json: Column<'text', false> = text
export const uuid: Column<'uuid', false> = { kind: 'uuid', null: false }
export const bytes: Column<'bytes', false> = { kind: 'bytes', null: false }

/** Text column with a known set of values. */
export function textOf<Text extends string>(): Column<'text', false, Text> {
  return { kind: 'text', null: false }
}

/** Nullable variant of a column. */
export function maybe<Kind extends ColumnKind, Text extends string>({
  kind,
}: Column<Kind, boolean, Text>): Column<Kind, true, Text> {
  return { kind, null: true }
}

/** Several integer columns. */
export function ints<const Name extends string>(names: readonly Name[]): Record<Name, typeof int> {
  return Object.fromEntries(names.map((name) => [name, int])) as Record<Name, typeof int>
}

/** SQL behind the name of the table in `CREATE INDEX`, by the suffix of the index's name. */
export type Indexes = Readonly<Record<string, string | ByDatabase<string>>>

interface ByDatabase<Part> {
  readonly sqlite: Part
  readonly postgres: Part
}

/** Table declaration, from which types, statements, bulk inserts and backups derive. */
export interface Table {
  readonly columns: Readonly<Record<string, Column>>
  /** Columns of the primary key, in order. */
  readonly key: readonly string[]
  /** True if SQLite stores the rows in key order: better for small rows with a composite key. */
  readonly clustered?: boolean
  /** True if Postgres has partitions by the column `at`, for months or days. */
  readonly partitioned?: boolean
  /** True if the rows may be lost: Postgres does not log them, and backups leave them out. */
  readonly unlogged?: boolean
  /** `{ by_owner: '(owner)' }` is the index `<table>_by_owner`. */
  readonly indexes?: Indexes
  readonly unique?: Indexes
  /** Further statements, run after the table and its indexes exist. */
  readonly extras?: ByDatabase<readonly string[]>
}

/** Table with known columns. */
export interface TableOf<Columns extends Table['columns']> extends Table {
  readonly columns: Columns
}

/** Tables by name. */
export type TableMap = Readonly<Record<string, Table>>

/** Declares a table. */
export function table<const Columns extends Table['columns']>(
  declared: TableOf<Columns> & { readonly key: readonly (keyof Columns)[] },
): TableOf<Columns> {
  return declared
}

/** Change of a schema from one version to the next. */
export type SchemaUpgrade = ExpandUpgrade | ContractUpgrade

interface UpgradeStatements {
  /** Statements, which run in one transaction with all other missing upgrades. */
  statements(database: 'sqlite' | 'postgres'): readonly string[]
}

/**
 * Upgrade that programs of earlier versions tolerate: it adds tables, indexes and nullable columns. Earlier versions
 * keep reading and writing, and leave the added columns null.
 */
export interface ExpandUpgrade extends UpgradeStatements {
  readonly kind: 'expand'
}

/**
 * Upgrade that programs of earlier versions do not tolerate, such as a removed column. Release it at least one version
 * after the last program that needs what it removes.
 */
export interface ContractUpgrade extends UpgradeStatements {
  readonly kind: 'contract'
  /** Oldest version of the schema whose programs can use the database from then on. */
  readonly minReader: number
}

/** Tables of one package. */
export interface StoreSchema {
  readonly name: string
  /** Tables in an order in which they can be filled. */
  readonly tables: TableMap
  /**
   * Changes of released versions, oldest first; only append. Migration `0001` creates the tables as declared, and the
   * first upgrade leads to version 2. A new database is created as declared and skips all upgrades.
   */
  readonly upgrades: readonly SchemaUpgrade[]
}

/** Version of a schema: 1, and one more for each upgrade. */
export function versionOf({ upgrades }: StoreSchema): number {
  return 1 + upgrades.length
}

/** Tables of several schemas. */
export function tablesOf(schemas: readonly StoreSchema[]): TableMap {
  return Object.fromEntries(schemas.flatMap(({ tables }) => Object.entries(tables)))
}

/** Types of a table's columns for Kysely. */
export type RowOf<T extends Table> = {
  -readonly [Name in keyof T['columns']]: TypeOf<T['columns'][Name]>
}

/** Types of tables for Kysely. */
export type RowsOf<All extends TableMap> = { -readonly [Name in keyof All]: RowOf<All[Name]> }

type TypeOf<C extends Column> =
  C extends Column<'int', infer Null>
    ? Nullable<bigint, number, Null>
    : C extends Column<'bytes', infer Null>
      ? Nullable<Uint8Array, never, Null>
      : C extends Column<'text' | 'uuid', infer Null, infer Text>
        ? Nullable<Text, never, Null>
        : never

/** `Read` is what a query returns; statements also accept `Written`. */
type Nullable<Read, Written, Null extends boolean> = Null extends true
  ? ColumnType<Read | null, Read | Written | null | undefined, Read | Written | null>
  : [Written] extends [never]
    ? Read
    : ColumnType<Read, Read | Written, Read | Written>
