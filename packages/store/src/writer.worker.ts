import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './database/connection.ts'
import { createQuarantine } from './ledger/quarantine.ts'
import { openReceivers } from './receivers/row-receiver.ts'
import type { StoreWriterData } from './threads/data.ts'
import { announce, serveCalls } from './threads/serve.ts'
import { createWriterCalls } from './threads/writer.ts'

const { place, dataDir, run, storesBegins, zone, retention, receivers, sinks }: StoreWriterData = workerData
const port = parentPort
if (!port) throw new TypeError('This is a worker.')

serveCalls(port, async () => {
  const onProblem = (message: string): void => announce(port, 'problem', message)
  // Without sinks, their modules are not loaded. A failed preparation is repeated, so nothing is opened before.
  const loaded = sinks.length > 0 ? await import('./sinks/sinks.ts') : undefined
  const instances = (await loaded?.loadSinks(sinks)) ?? []
  const connection = await openConnection(place)
  const opened = loaded?.openSinks(instances, {
    dataDir,
    ownersOf: loaded.storedOwners(connection),
    onProblem,
    onState: (state) => announce(port, 'sink', state),
  })
  return createWriterCalls({
    connection,
    copying: 'url' in place ? await openConnection({ url: place.url, connections: 1 }) : undefined,
    dataDir,
    run,
    storesBegins,
    zone,
    retention,
    quarantine: createQuarantine(dataDir),
    onQuarantine: (message) => announce(port, 'quarantined', message),
    onProblem,
    receiver: await openReceivers(receivers, { onProblem }, opened ? [opened] : []),
    onTruncation: (message, rows) => announce(port, 'cut', { message, rows }),
    onAlert: () => announce(port, 'budget-alert'),
  })
})
