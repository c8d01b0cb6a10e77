import { Worker } from 'node:worker_threads'
import { workerFile } from './worker-file.ts'

/** Minimum milliseconds between two starts of a thread that crashes. */
const RESTART = 60_000

export interface ThreadOptions<News> {
  /** Name of the file, without `.worker.ts`. */
  readonly name: string
  readonly data: unknown
  onNews(news: News): void
  /** Called when the thread exits unexpectedly. */
  onCrash(reason: string): void
}

/** Thread that starts on demand, and again after a crash, at most once a minute. */
export interface SearchThread<Order> {
  /** Starts the thread if necessary. Returns false if it cannot start now. */
  start(): boolean
  post(order: Order): void
  /** Keeps the process alive while a response is pending. */
  hold(isNeeded: boolean): void
  /** Stops the thread; it can start again. */
  stop(): Promise<void>
  /** Stops the thread permanently. */
  close(): Promise<void>
}

export function createThread<Order, News>({ name, data, onNews, onCrash }: ThreadOptions<News>): SearchThread<Order> {
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
    one.on('exit', (code) => ended(one, crash ?? `it exited with code ${code}`))
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
