import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './database/connection.ts'
import type { StoreReaderData } from './threads/data.ts'
import { createReaderCalls } from './threads/reader.ts'
import { announce, serveCalls } from './threads/serve.ts'
import { watchStore } from './threads/watch.ts'

const { place }: StoreReaderData = workerData
const port = parentPort
if (!port) throw new TypeError('This is a worker.')

serveCalls(port, async () => {
  const connection = await openConnection(place)
  const watcher = watchStore(connection, {
    onKeys: () => announce(port, 'keys-changed'),
    onConfirm: () => announce(port, 'keys-confirmed'),
    onBudgets: () => announce(port, 'budgets-changed'),
    onPrices: () => announce(port, 'prices-changed'),
    onCredentials: () => announce(port, 'credentials-changed'),
    onRecall: () => announce(port, 'budgets-recalled'),
  })
  return createReaderCalls(connection, { watcher, connections: 'url' in place ? place.connections : undefined })
})
