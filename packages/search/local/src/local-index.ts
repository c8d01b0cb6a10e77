import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Backend,
  HeadgateError,
  type IndexHost,
  type IndexProgress,
  type IndexReport,
  type SearchPage,
  type SearchQuery,
} from '@headgate/core/search'
import {
  INDEX_FILE,
  type IndexOrder,
  type SearchNews,
  type SearchOrder,
  type WriterData,
  type WriterNews,
} from './messages.ts'
import { nameOf, type Sources } from './sources.ts'
import { createThread, type SearchThread } from './thread.ts'

/** Milliseconds that a search waits for a new index, after its first file is indexed. */
const FIRST_WAIT = 2_000
/**
 * Milliseconds that a search waits for a lazily started index. It is small, and an incomplete result would be wrong,
 * even on a busy machine.
 */
const LAZY_WAIT = 15_000
/** Timeout of a search in milliseconds. */
const PATIENCE = 10_000

/** Pending promise. */
interface Waiting<T> {
  resolve(value: T): void
  reject(error: Error): void
}

interface Indexing extends Waiting<IndexReport> {
  onProgress(progress: IndexProgress): void
}

/** Threads of the index: one writes and one searches, so that neither blocks the other. */
interface Threads {
  readonly writer: SearchThread<IndexOrder>
  readonly reader: SearchThread<SearchOrder>
  readonly indexing: Map<number, Indexing>
  readonly searching: Map<number, Waiting<SearchPage>>
  /** Resolves when the index can be searched. */
  readonly ready: Promise<unknown>
  close(): Promise<void>
}

type LocalIndex = Required<Pick<Backend, 'start' | 'index' | 'close'>> & {
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchPage>
}

interface Habits {
  /** Watches files for changes. */
  readonly watch: boolean
  /** The threads start with the first search instead of `start`. */
  readonly lazy: boolean
}

/** Creates the index of these sources. It is idle until `start`. */
export function localIndex(sources: Sources, { watch, lazy }: Habits): LocalIndex {
  let home: IndexHost | undefined
  let threads: Threads | undefined
  let lastId = 0

  const running = (): Threads => {
    if (!home) throw new HeadgateError('upstream', 'The document index has not started, or was closed.')
    threads ??= startThreads(sources, { watch, lazy }, home)
    return threads
  }
  return {
    start(given) {
      home = given
      if (!lazy) running()
    },
    async search(query, signal) {
      const { reader, searching, ready } = running()
      await raced(ready, signal)
      signal.throwIfAborted()
      if (!reader.start()) throw failure('the search thread crashed and restarts within a minute')
      return ask(reader, searching, ++lastId, { query }, signal)
    },
    async index({ signal, onProgress }) {
      const { writer, indexing } = running()
      signal.throwIfAborted()
      if (!writer.start()) throw failure('the writer thread crashed and restarts within a minute')
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<IndexReport>()
      indexing.set(id, { resolve, reject, onProgress })
      writer.hold(true)
      writer.post({ id })
      const onAbort = () => {
        writer.post({ id, abort: true })
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      return promise.finally(() => {
        signal.removeEventListener('abort', onAbort)
        indexing.delete(id)
        writer.hold(indexing.size > 0)
      })
    },
    async close() {
      const closing = threads
      threads = undefined
      home = undefined
      await closing?.close()
    },
  }
}

function startThreads(sources: Sources, { watch, lazy }: Habits, home: IndexHost): Threads {
  const temporary = home.dataDir === undefined ? join(tmpdir(), `headgate-search-${randomUUID()}`) : undefined
  const folder = temporary ?? join(home.dataDir ?? '', 'search', nameOf(sources))
  const indexing = new Map<number, Indexing>()
  const searching = new Map<number, Waiting<SearchPage>>()
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>()
  let patience = setTimeout(setReady, LAZY_WAIT)
  const rejectAll = (waiting: Map<number, Waiting<never>>, error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  const writer = createThread<IndexOrder, WriterNews>({
    name: 'writer',
    data: { sources, folder, watch } satisfies WriterData,
    onNews(news) {
      if (news.kind === 'open' && news.documents > 0) setReady()
      else if (news.kind === 'open' && !lazy) {
        clearTimeout(patience)
        patience = setTimeout(setReady, FIRST_WAIT)
      }
      if (news.kind === 'progress') for (const { onProgress } of indexing.values()) onProgress(news.progress)
      if (news.kind === 'warning') home.onWarning(news.message)
      if (news.kind === 'done') for (const id of news.orders) indexing.get(id)?.resolve(news.report)
      if (news.kind === 'failed') {
        for (const id of news.orders) indexing.get(id)?.reject(failure(news.message))
        if (news.orders.length === 0) home.onWarning(`The search index could not be updated: ${news.message}`)
      }
      if (news.kind === 'done' || news.kind === 'failed') setReady()
    },
    onCrash(reason) {
      home.onWarning(`The thread that writes the search index crashed: ${reason}`)
      rejectAll(indexing, failure(`the writer thread crashed: ${reason}`))
      setReady()
      setTimeout(() => writer.start(), RESTART).unref()
    },
  })
  const reader = createThread<SearchOrder, SearchNews>({
    name: 'reader',
    data: join(folder, INDEX_FILE),
    onNews(news) {
      const waiting = searching.get(news.id)
      if ('page' in news) waiting?.resolve(news.page)
      else waiting?.reject(failure(news.message))
    },
    onCrash(reason) {
      home.onWarning(`The thread that searches the index crashed: ${reason}`)
      rejectAll(searching, failure(`the search thread crashed: ${reason}`))
    },
  })
  const removeTemporary = () => temporary !== undefined && rmSync(temporary, { recursive: true, force: true })
  process.once('exit', removeTemporary)
  writer.start()

  return {
    writer,
    reader,
    indexing,
    searching,
    ready,
    async close() {
      const error = failure('it was closed')
      rejectAll(indexing, error)
      rejectAll(searching, error)
      setReady()
      clearTimeout(patience)
      await Promise.all([writer.close(), reader.close()])
      process.off('exit', removeTemporary)
      removeTemporary()
    },
  }
}

/** Milliseconds until a crashed writing thread restarts. */
const RESTART = 60_000

function ask(
  reader: SearchThread<SearchOrder>,
  searching: Map<number, Waiting<SearchPage>>,
  id: number,
  { query }: Pick<SearchOrder, 'query'>,
  signal: AbortSignal,
): Promise<SearchPage> {
  const { promise, resolve, reject } = Promise.withResolvers<SearchPage>()
  reader.post({ id, query })
  searching.set(id, { resolve, reject })
  reader.hold(true)
  const onAbort = () => reject(signal.reason)
  const timer = setTimeout(() => {
    reject(failure(`no response within ${PATIENCE / 1_000} s`))
    void reader.stop()
  }, PATIENCE)
  signal.addEventListener('abort', onAbort, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    searching.delete(id)
    reader.hold(searching.size > 0)
  })
}

/** Awaits a promise until the signal aborts. */
async function raced(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  await Promise.race([promise, aborted])
  signal.removeEventListener('abort', onAbort)
}

function failure(reason: string): HeadgateError {
  return new HeadgateError('upstream', `The document index: ${reason}.`)
}
