import type { Column, ColumnKind, Indexes, Table, TableMap } from './declare.ts'

type Database = 'sqlite' | 'postgres'

const TYPES: Readonly<Record<Database, Readonly<Record<ColumnKind, string>>>> = {
  sqlite: { int: 'INTEGER', text: 'TEXT', uuid: 'TEXT', bytes: 'BLOB' },
  // Both databases sort text by its bytes.
  postgres: { int: 'int8', text: 'text COLLATE "C"', uuid: 'uuid', bytes: 'bytea' },
}

/** Statements that create tables with their indexes. */
export function createTables(database: Database, tables: TableMap): string[] {
  return Object.entries(tables).flatMap(([name, table]) => createTable(database, name, table))
}

export function createTable(database: Database, name: string, table: Table): string[] {
  const { columns, key, partitioned, unlogged, extras, indexes = {}, unique = {} } = table
  const lines = inOrder(database, columns).map((column) => columnLine(database, column))
  const isPartitioned = database === 'postgres' && partitioned
  const create = database === 'postgres' && unlogged ? 'CREATE UNLOGGED TABLE' : 'CREATE TABLE'
  return [
    `${create} ${name} (${lines.join(', ')}, PRIMARY KEY (${key.join(', ')}))${ending(database, table)}`,
    ...createIndexes(database, name, indexes, 'INDEX'),
    ...createIndexes(database, name, unique, 'UNIQUE INDEX'),
    ...(isPartitioned ? [`CREATE TABLE ${name}_default PARTITION OF ${name} DEFAULT`] : []),
    ...(extras?.[database] ?? []),
  ]
}

/** Columns in the order in which they are stored. Postgres finds numbers faster if no strings are before them. */
function inOrder(database: Database, columns: Table['columns']): [string, Column][] {
  const all = Object.entries(columns)
  if (database === 'sqlite') return all
  const isFixed = ([, { kind, null: isNullable }]: [string, Column]): boolean => kind === 'int' && !isNullable
  return [...all.filter(isFixed), ...all.filter((column) => !isFixed(column))]
}

function columnLine(database: Database, [name, { kind, null: isNullable }]: [string, Column]): string {
  return `${name} ${TYPES[database][kind]}${isNullable ? '' : ' NOT NULL'}`
}

function ending(database: Database, { clustered, partitioned }: Table): string {
  if (database === 'postgres') return partitioned ? ' PARTITION BY RANGE (at)' : ''
  return clustered ? ' STRICT, WITHOUT ROWID' : ' STRICT'
}

function createIndexes(database: Database, table: string, indexes: Indexes, what: string): string[] {
  return Object.entries(indexes).map(([suffix, on]) => {
    const columns = typeof on === 'string' ? on : on[database]
    return `CREATE ${what} ${table}_${suffix} ON ${table} ${columns}`
  })
}
