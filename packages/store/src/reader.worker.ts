import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './database/connection.ts'
import type { ReaderData } from './threads/data.ts'
import { createReaderCalls, watchKeys } from './threads/reader.ts'
import { serveCalls, tell } from './threads/serve.ts'

const { place }: ReaderData = workerData
const port = parentPort
if (!port) throw new TypeError('This is a worker.')

serveCalls(port, async () => {
  const connection = await openConnection(place)
  watchKeys(connection, { onChange: () => tell(port, 'keys-changed'), onConfirm: () => tell(port, 'keys-confirmed') })
  return createReaderCalls(connection)
})
