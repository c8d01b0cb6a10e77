import { expect, it } from 'vitest'
import { createTables } from '../../packages/sinks/clickhouse/src/tables.ts'
import { RECORD_COLUMNS } from '../../packages/store/src/sinks/line.ts'

it('The table in ClickHouse has a column for each column of a row', () => {
  const [statement = ''] = createTables('rows')
  const columns = [...statement.matchAll(/^ {2}(\w+) [A-Z]/gm)].map(([, name]) => String(name))
  expect(columns.sort()).toEqual(RECORD_COLUMNS.map(({ name }) => name).sort())
})
