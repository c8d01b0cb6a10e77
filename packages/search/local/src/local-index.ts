import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Backend,
  HeadgateError,
  type Home,
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
import { createThread, type Thread } from './thread.ts'

/**
 * Milliseconds in which a search waits for an index that is made for the first time, once there is a file that can be
 * searched.
 */
const FIRST_WAIT = 2_000
/**
 * The same of what is small and read at the first search: to find nothing of what it holds would be wrong, however busy
 * the machine is.
 */
const LAZY_WAIT = 15_000
/** Milliseconds until a search that has no answer is given up. */
const PATIENCE = 10_000

/** Something that is waited for. */
interface Waiting<T> {
  resolve(value: T): void
  reject(error: Error): void
}

interface Indexing extends Waiting<IndexReport> {
  onProgress(progress: IndexProgress): void
}

/** What answers and keeps the index: one thread writes, another searches, so that neither waits for the other. */
interface Threads {
  readonly writer: Thread<IndexOrder>
  readonly reader: Thread<SearchOrder>
  readonly indexing: Map<number, Indexing>
  readonly searching: Map<number, Waiting<SearchPage>>
  /** Resolves when there is something to search in. */
  readonly ready: Promise<unknown>
  close(): Promise<void>
}

type LocalIndex = Required<Pick<Backend, 'start' | 'index' | 'close'>> & {
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchPage>
}

interface Habits {
  /** Changes of files are followed. */
  readonly watch: boolean
  /** The first search starts the threads, not `start`. */
  readonly lazy: boolean
}

/** The index of these sources. Nothing happens before `start`. */
export function localIndex(sources: Sources, { watch, lazy }: Habits): LocalIndex {
  let home: Home | undefined
  let threads: Threads | undefined
  let lastId = 0

  const running = (): Threads => {
    if (!home) throw new HeadgateError('upstream', 'The index of the documents is not started, or was closed.')
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
      if (!reader.start()) throw failure('the thread that searches has crashed and is started again within a minute')
      return ask(reader, searching, ++lastId, { query }, signal)
    },
    async index({ signal, onProgress }) {
      const { writer, indexing } = running()
      signal.throwIfAborted()
      if (!writer.start()) throw failure('the thread that writes has crashed and is started again within a minute')
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

function startThreads(sources: Sources, { watch, lazy }: Habits, home: Home): Threads {
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
        if (news.orders.length === 0)
          home.onWarning(`The search index could not be brought up to date: ${news.message}`)
      }
      if (news.kind === 'done' || news.kind === 'failed') setReady()
    },
    onCrash(reason) {
      home.onWarning(`The thread that keeps the search index has crashed: ${reason}`)
      rejectAll(indexing, failure(`the thread that writes has crashed: ${reason}`))
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
      home.onWarning(`The thread that searches the index has crashed: ${reason}`)
      rejectAll(searching, failure(`the thread that searches has crashed: ${reason}`))
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

/** Milliseconds until a writing thread that has crashed is started again. */
const RESTART = 60_000

function ask(
  reader: Thread<SearchOrder>,
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
    reject(failure(`no answer within ${PATIENCE / 1_000} s`))
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

/** Waits for a promise, unless the signal aborts. */
async function raced(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  await Promise.race([promise, aborted])
  signal.removeEventListener('abort', onAbort)
}

function failure(reason: string): HeadgateError {
  return new HeadgateError('upstream', `The index of the documents: ${reason}.`)
}
