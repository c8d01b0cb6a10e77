import { describe, expect, it } from 'vitest'
import { TABLES } from '../src/database/columns.ts'
import { run } from '../src/database/transaction.ts'
import { stores } from './support/stores.ts'

describe.each(stores())('the tables of $name', ({ open }) => {
  it('have the columns and keys that are written', async () => {
    const { db, kind } = await open()
    for (const [name, { columns, key }] of Object.entries(TABLES)) {
      const rows =
        kind === 'sqlite'
          ? await run(db, `SELECT name FROM pragma_table_info('${name}') ORDER BY cid`)
          : await run(
              db,
              `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${name}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
            )
      expect(rows.map((row) => Object(row).name).sort(), name).toEqual(Object.keys(columns).sort())
      const keys =
        kind === 'sqlite'
          ? await run(db, `SELECT name FROM pragma_table_info('${name}') WHERE pk > 0 ORDER BY pk`)
          : await run(
              db,
              `SELECT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
               WHERE i.indrelid = '${name}'::regclass AND i.indisprimary ORDER BY array_position(i.indkey::int2[], a.attnum)`,
            )
      expect(
        keys.map((row) => Object(row).name),
        name,
      ).toEqual([...key])
    }
  })
})
