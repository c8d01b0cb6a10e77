import type { StoreConnection } from '../../src/database/connection.ts'
import { runSql } from '../../src/database/transaction.ts'
import type { Column, Indexes, Table, TableMap } from '../../src/schema/declare.ts'

/** A table as the database describes it. */
export interface FoundTable {
  /** Type by name, with ` NOT NULL`. */
  readonly columns: Readonly<Record<string, string>>
  readonly key: readonly string[]
  /** `UNIQUE`, columns and condition, by name, without the index of the key. */
  readonly indexes: Readonly<Record<string, string>>
  /** `STRICT`, `WITHOUT ROWID`, `PARTITIONED`, `UNLOGGED`. */
  readonly options: readonly string[]
  readonly triggers: readonly string[]
}

/** All tables of a database, without partitions. */
export function describeTables(connection: StoreConnection): Promise<Record<string, FoundTable>> {
  return connection.kind === 'sqlite' ? describeSqlite(connection) : describePostgres(connection)
}

type Found = Record<string, string | bigint | number | null>

async function describeSqlite({ db }: StoreConnection): Promise<Record<string, FoundTable>> {
  const query = async (sql: string) => (await runSql(db, sql)) as Found[]
  const tables = await query('PRAGMA table_list')
  const found: Record<string, FoundTable> = {}
  for (const { name, wr, strict, schema, type } of tables) {
    const table = String(name)
    if (schema !== 'main' || type !== 'table' || table.startsWith('sqlite_')) continue
    const columns = await query(`PRAGMA table_info(${table})`)
    const key = columns.filter(({ pk }) => Number(pk) > 0).sort((one, other) => Number(one['pk']) - Number(other['pk']))
    const indexes = await query(
      `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = '${table}' AND sql IS NOT NULL`,
    )
    const triggers = await query(`SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '${table}'`)
    found[table] = {
      columns: Object.fromEntries(
        columns.map((one) => [one['name'], `${one['type']}${Number(one['notnull']) ? ' NOT NULL' : ''}`]),
      ),
      key: key.map((one) => String(one['name'])),
      indexes: Object.fromEntries(indexes.map((one) => [one['name'], definition(String(one['sql']))])),
      options: [...(Number(strict) ? ['STRICT'] : []), ...(Number(wr) ? ['WITHOUT ROWID'] : [])],
      triggers: triggers.map((one) => String(one['name'])),
    }
  }
  return found
}

async function describePostgres({ db }: StoreConnection): Promise<Record<string, FoundTable>> {
  const query = async (sql: string) => (await runSql(db, sql)) as Found[]
  const tables = await query(
    `SELECT c.oid::int8 AS oid, c.relname AS name, c.relkind::text AS kind, c.relpersistence::text AS logged FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  )
  const found: Record<string, FoundTable> = {}
  for (const { oid, name, kind, logged } of tables) {
    const columns = await query(
      `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull::int AS strict, l.collname::text AS collation
        FROM pg_attribute a LEFT JOIN pg_collation l ON l.oid = a.attcollation WHERE a.attrelid = ${oid} AND a.attnum > 0 AND NOT a.attisdropped`,
    )
    const indexes = await query(
      `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS sql, i.indisprimary::int AS is_key
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = ${oid}`,
    )
    const triggers = await query(`SELECT tgname AS name FROM pg_trigger WHERE tgrelid = ${oid} AND NOT tgisinternal`)
    const [key] = indexes.filter((one) => Number(one['is_key']))
    found[String(name)] = {
      columns: Object.fromEntries(
        columns.map((one) => [
          one['name'],
          `${one['type']}${one['collation'] ? ` ${one['collation']}` : ''}${Number(one['strict']) ? ' NOT NULL' : ''}`,
        ]),
      ),
      key: /\((.*)\)$/.exec(String(key?.['sql']))?.[1]?.replaceAll('"', '').split(', ') ?? [],
      indexes: Object.fromEntries(
        indexes.filter((one) => !Number(one['is_key'])).map((one) => [one['name'], definition(String(one['sql']))]),
      ),
      options: [...(kind === 'p' ? ['PARTITIONED'] : []), ...(logged === 'u' ? ['UNLOGGED'] : [])],
      triggers: triggers.map((one) => String(one['name'])),
    }
  }
  return found
}

/** The columns and the condition, without the names of index, table and method and without outer parentheses. */
function definition(sql: string): string {
  const columns = sql
    .slice(sql.indexOf('('))
    .replace(/WHERE \((.*)\)$/, 'WHERE $1')
    .replaceAll('::text', '')
  return `${sql.startsWith('CREATE UNIQUE') ? 'UNIQUE ' : ''}${columns}`
}

const TYPES = {
  sqlite: { int: 'INTEGER', text: 'TEXT', uuid: 'TEXT', bytes: 'BLOB' },
  postgres: { int: 'bigint', text: 'text C', uuid: 'uuid', bytes: 'bytea' },
} as const

/** Tables as a database must describe them, without triggers. */
export function expectedTables(kind: 'sqlite' | 'postgres', tables: TableMap): Record<string, FoundTable> {
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, expectedTable(kind, name, table)]))
}

function expectedTable(kind: 'sqlite' | 'postgres', name: string, table: Table): FoundTable {
  const { columns, key, indexes = {}, unique = {}, clustered } = table
  const on = (index: Indexes[string]) => (typeof index === 'string' ? index : index[kind])
  const plain = Object.entries(indexes).map(([suffix, index]) => [`${name}_${suffix}`, on(index)])
  const distinct = Object.entries(unique).map(([suffix, index]) => [`${name}_${suffix}`, `UNIQUE ${on(index)}`])
  const type = (column: Column) => `${TYPES[kind][column.kind]}${column.null ? '' : ' NOT NULL'}`
  return {
    columns: Object.fromEntries(Object.entries(columns).map(([column, declared]) => [column, type(declared)])),
    key,
    indexes: Object.fromEntries([...plain, ...distinct]),
    options: kind === 'sqlite' ? ['STRICT', ...(clustered ? ['WITHOUT ROWID'] : [])] : optionsOfPostgres(table),
    triggers: [],
  }
}

function optionsOfPostgres({ partitioned, unlogged }: Table): string[] {
  return [...(partitioned ? ['PARTITIONED'] : []), ...(unlogged ? ['UNLOGGED'] : [])]
}
