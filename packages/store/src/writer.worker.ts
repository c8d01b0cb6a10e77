import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './database/connection.ts'
import { createPutAside } from './ledger/put-aside.ts'
import type { WriterData } from './threads/data.ts'
import { serveCalls, tell } from './threads/serve.ts'
import { createWriterCalls } from './threads/writer.ts'

const { place, dataDir, life, zone, retention }: WriterData = workerData
const port = parentPort
if (!port) throw new TypeError('This is a worker.')

serveCalls(port, async () =>
  createWriterCalls({
    connection: await openConnection(place),
    dataDir,
    life,
    zone,
    retention,
    aside: createPutAside(dataDir),
    onPutAside: (message) => tell(port, 'put-aside', message),
    onProblem: (message) => tell(port, 'problem', message),
    onCut: (message, rows) => tell(port, 'cut', { message, rows }),
    onAlert: () => tell(port, 'budget-alert'),
  }),
)
