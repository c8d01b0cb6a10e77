import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './database/connection.ts'
import type { ReaderData } from './threads/data.ts'
import { createReaderCalls, watchStore } from './threads/reader.ts'
import { serveCalls, tell } from './threads/serve.ts'

const { place }: ReaderData = workerData
const port = parentPort
if (!port) throw new TypeError('This is a worker.')

serveCalls(port, async () => {
  const connection = await openConnection(place)
  watchStore(connection, {
    onKeys: () => tell(port, 'keys-changed'),
    onConfirm: () => tell(port, 'keys-confirmed'),
    onBudgets: () => tell(port, 'budgets-changed'),
    onPrices: () => tell(port, 'prices-changed'),
  })
  return createReaderCalls(connection, { onRecall: () => tell(port, 'budgets-recalled') })
})
