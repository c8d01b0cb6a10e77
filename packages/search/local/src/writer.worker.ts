import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { startExtractor } from './extract/extractor.ts'
import { lockForWriting } from './lock.ts'
import { INDEX_FILE, type IndexOrder, LOCK_FILE, type WriterData, type WriterNews } from './messages.ts'
import { bringUpToDate } from './pass.ts'
import { openIndexStore } from './store.ts'
import { watchFolders } from './watch.ts'

/** Milliseconds between a change and the next pass: more changes often follow. */
const SETTLE = 150
/** Milliseconds between two passes over folders without change notifications. */
const RESCAN = 300_000
/** Milliseconds between two passes over sitemaps and feeds. */
const REREAD = 3_600_000

const { sources, folder, watch }: WriterData = workerData
const extractor = startExtractor()
const orders = new Map<number, AbortController>()
let wanted = false
let running = false

function tell(news: WriterNews): void {
  parentPort?.postMessage(news)
}

mkdirSync(folder, { recursive: true, mode: 0o700 })
const store = openIndexStore(join(folder, INDEX_FILE), (message) => tell({ kind: 'warning', message }))
tell({ kind: 'open', documents: store.documents() })

/** Timer that joins changes of a short time into one pass. */
const settling = { timer: undefined as NodeJS.Timeout | undefined }
const folders = watchFolders(
  () => {
    settling.timer ??= setTimeout(() => {
      settling.timer = undefined
      want()
    }, SETTLE)
  },
  () =>
    tell({
      kind: 'warning',
      message: 'Not all folders can be watched: the others are checked every five minutes.',
    }),
)

function want(): void {
  wanted = true
  if (!running) void work()
}

/** Runs passes one after the other until there are no orders. */
async function work(): Promise<void> {
  running = true
  while (wanted) {
    wanted = false
    await pass([...orders.keys()])
  }
  running = false
}

async function pass(waiting: readonly number[]): Promise<void> {
  const controllers = waiting.flatMap((id) => orders.get(id) ?? [])
  // A pass with a single order can be aborted by it; other passes continue.
  const { signal } = (controllers.length === 1 && controllers[0]) || new AbortController()
  const web = waiting.length > 0 || Date.now() - store.fact('web') >= REREAD
  try {
    const unlock = await lockForWriting(join(folder, LOCK_FILE), signal, () =>
      tell({
        kind: 'warning',
        message: 'Another process is updating the search index: waiting for it.',
      }),
    )
    try {
      const report = await bringUpToDate({
        store,
        sources,
        extractor,
        web,
        signal,
        onProgress: (progress) => tell({ kind: 'progress', progress }),
        onFolder: (path) => watch && folders.add(path),
      })
      if (web) store.setFact('web', Date.now())
      tell({ kind: 'done', orders: waiting, report })
    } finally {
      unlock()
      // The next change can be days away: end the thread until then.
      await extractor.close()
    }
  } catch (error) {
    tell({ kind: 'failed', orders: waiting, message: error instanceof Error ? error.message : String(error) })
  }
  for (const id of waiting) orders.delete(id)
}

parentPort?.on('message', ({ id, abort }: IndexOrder) => {
  if (abort) return orders.get(id)?.abort()
  orders.set(id, new AbortController())
  want()
})

if (watch) setInterval(want, RESCAN)
want()
