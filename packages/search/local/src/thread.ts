import { Worker } from 'node:worker_threads'
import { workerFile } from './worker-file.ts'

/** Milliseconds from one start to the next of a thread that ends by itself. */
const RESTART = 60_000

export interface ThreadOptions<News> {
  /** Name of the file, without `.worker.ts`. */
  readonly name: string
  readonly data: unknown
  onNews(news: News): void
  /** The thread has ended by itself. */
  onCrash(reason: string): void
}

/** A thread that is started when it is first needed, and again when it has crashed, but not more than once a minute. */
export interface Thread<Order> {
  /** Whether it runs, or could be started. */
  start(): boolean
  post(order: Order): void
  /** While something is waited for, the process does not end. */
  hold(isNeeded: boolean): void
  /** Ends it; it may be started again. */
  stop(): Promise<void>
  /** Ends it for good. */
  close(): Promise<void>
}

export function createThread<Order, News>({ name, data, onNews, onCrash }: ThreadOptions<News>): Thread<Order> {
  let worker: Worker | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  let crash: string | undefined
  let isClosed = false

  const ended = (one: Worker, reason: string) => {
    if (worker !== one) return
    worker = undefined
    onCrash(reason)
  }
  const start = (): boolean => {
    if (worker) return true
    if (isClosed || performance.now() - startedAt < RESTART) return false
    startedAt = performance.now()
    crash = undefined
    // Node 22 warns about node:sqlite once per thread.
    const one = new Worker(workerFile(name), { workerData: data, execArgv: ['--disable-warning=ExperimentalWarning'] })
    one.on('message', onNews)
    one.on('error', (error) => {
      crash = error instanceof Error ? error.message : String(error)
    })
    one.on('exit', (code) => ended(one, crash ?? `it ended with code ${code}`))
    one.unref()
    worker = one
    return true
  }
  const stop = async (): Promise<void> => {
    const one = worker
    worker = undefined
    await one?.terminate()
  }
  return {
    start,
    post: (order) => worker?.postMessage(order),
    hold: (isNeeded) => (isNeeded ? worker?.ref() : worker?.unref()),
    stop,
    close() {
      isClosed = true
      return stop()
    },
  }
}
