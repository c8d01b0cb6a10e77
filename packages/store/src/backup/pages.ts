import { sql } from 'kysely'
import type { RowValues } from '../database/bulk.ts'
import { keyIndexes } from '../database/bulk.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import type { ColumnValue, Table } from '../schema/declare.ts'

/** Rows per page. */
const PAGE = 1_000

/** All rows of a table in the order of its key, in pages. */
export async function* pagesOf(
  trx: Pick<WriteTransaction, 'getExecutor'>,
  name: string,
  table: Table,
): AsyncGenerator<RowValues[]> {
  const names = Object.keys(table.columns)
  const key = sql.join(table.key.map((column) => sql.ref(column)))
  const columns = sql.join(names.map((column) => sql.ref(column)))
  for (let last: RowValues | undefined; ; ) {
    const end = last
    const after = end ? sql`WHERE (${key}) > (${sql.join(keyIndexes(table).map((index) => end[index]))})` : sql``
    const page = sql<
      Record<string, ColumnValue>
    >`SELECT ${columns} FROM ${sql.table(name)} ${after} ORDER BY ${key} LIMIT ${PAGE}`
    const { rows } = await page.execute(trx)
    const values = rows.map((row) => names.map((column) => row[column] ?? null))
    if (values.length > 0) yield values
    last = values.at(-1)
    if (values.length < PAGE) return
  }
}
