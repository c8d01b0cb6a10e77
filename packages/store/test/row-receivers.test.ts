import { expect, it } from 'vitest'
import { openReceivers } from '../src/receivers/row-receiver.ts'
import { ledgerRow } from './support/rows.ts'

/** Module whose receivers keep the ids of their rows in its data. */
const MODULE = `data:text/javascript,${encodeURIComponent(
  'export const createRowReceiver = (ids) => ({ rows: (rows) => ids.push(...rows.map(({ id }) => id)), async close() {} })',
)}`

it('Receivers get each row once, although ingestion is repeated', async () => {
  const ids: string[] = []
  const receiver = await openReceivers([{ module: MODULE, data: ids }], { onProblem() {} })
  const rows = [1, 2, 3, 4].map((n) => ledgerRow(n))
  receiver?.rows('run-1', rows.slice(0, 2))
  receiver?.rows('run-1', rows.slice(0, 3))
  receiver?.rows('run-1', rows.slice(3))
  receiver?.rows('run-1', [])
  expect(ids).toEqual(rows.map(({ id }) => id))
  receiver?.rows('run-2', rows.slice(0, 1))
  expect(ids).toHaveLength(5)
  await receiver?.close()
})

it('Without receivers, nothing is loaded', async () => {
  expect(await openReceivers([], { onProblem() {} })).toBeUndefined()
})
