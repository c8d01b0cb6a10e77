import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { startExtractor } from './extract/extractor.ts'
import { lockForWriting } from './lock.ts'
import { INDEX_FILE, type IndexOrder, LOCK_FILE, type WriterData, type WriterNews } from './messages.ts'
import { bringUpToDate } from './pass.ts'
import { openStore } from './store.ts'
import { watchFolders } from './watch.ts'

/** Milliseconds after a change until the folders are looked through: more changes often follow. */
const SETTLE = 150
/** Milliseconds between two looks at folders that nobody has told of. */
const RESCAN = 300_000
/** Milliseconds between two readings of sitemaps and feeds. */
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
const store = openStore(join(folder, INDEX_FILE), (message) => tell({ kind: 'warning', message }))
tell({ kind: 'open', documents: store.documents() })

/** One look for the changes of a while. */
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
      message: 'Not every folder can be watched: the rest is looked through every five minutes.',
    }),
)

function want(): void {
  wanted = true
  if (!running) void work()
}

/** One pass after the other, until nobody wants another. */
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
  // Who alone has ordered a pass may stop it; one that runs by itself, or for others as well, goes on.
  const { signal } = (controllers.length === 1 && controllers[0]) || new AbortController()
  const web = waiting.length > 0 || Date.now() - store.fact('web') >= REREAD
  try {
    const unlock = await lockForWriting(join(folder, LOCK_FILE), signal, () =>
      tell({
        kind: 'warning',
        message: 'Another process is bringing the search index up to date: this one waits for it.',
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
      // The next change may be days away: until then there is one thread less.
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
