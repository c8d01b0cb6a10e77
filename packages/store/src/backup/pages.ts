import { sql } from 'kysely'
import type { Values } from '../database/bulk.ts'
import { keyIndexes } from '../database/bulk.ts'
import { TABLES, type TableName, type Value } from '../database/columns.ts'
import type { Writing } from '../database/transaction.ts'

/** Rows that are read at once. */
const PAGE = 1_000

/** All rows of a table in the order of its key, in pages, with values in the order of its columns. */
export async function* pagesOf(trx: Pick<Writing, 'getExecutor'>, table: TableName): AsyncGenerator<Values[]> {
  const names = Object.keys(TABLES[table].columns)
  const key = sql.join(TABLES[table].key.map((name) => sql.ref(name)))
  const columns = sql.join(names.map((name) => sql.ref(name)))
  for (let last: Values | undefined; ; ) {
    const end = last
    const after = end ? sql`WHERE (${key}) > (${sql.join(keyIndexes(table).map((index) => end[index]))})` : sql``
    const page = sql<
      Record<string, Value>
    >`SELECT ${columns} FROM ${sql.table(table)} ${after} ORDER BY ${key} LIMIT ${PAGE}`
    const { rows } = await page.execute(trx)
    const values = rows.map((row) => names.map((name) => row[name] ?? null))
    if (values.length > 0) yield values
    last = values.at(-1)
    if (values.length < PAGE) return
  }
}
