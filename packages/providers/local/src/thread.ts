import { Worker } from 'node:worker_threads'
import { HeadgateError } from '@headgate/core/provider'
import type { EmbedResult } from './messages.ts'

/** Timeout of a request in milliseconds, including loading the model. */
const PATIENCE = 60_000

/** Thread with the model. The first request starts it; after an unexpected exit, the next request starts it again. */
export interface EmbedThread {
  /**
   * Embeds inputs. Requests are served in order.
   *
   * @throws the signal's reason, or HeadgateError
   */
  ask(texts: readonly string[], signal: AbortSignal): Promise<EmbedResult>
  /** Ends the thread permanently and rejects waiting requests. */
  close(): Promise<void>
}

interface Order {
  readonly texts: readonly string[]
  resolve(answer: EmbedResult): void
  reject(error: unknown): void
}

/** Creates the thread lazily: it starts with the first request. */
export function createThread(start: () => Worker = startWorker): EmbedThread {
  const waiting = new Set<Order>()
  let worker: Worker | undefined
  let running: Order | undefined
  let patience: NodeJS.Timeout | undefined
  let isClosed = false

  const begin = (): Worker => {
    const one = start()
    let cause: unknown
    one.on('message', (answer: EmbedResult) => {
      if (worker !== one) return
      running?.resolve(answer)
      proceed()
    })
    one.on('error', (error) => {
      cause = error
    })
    one.on('exit', (code) => {
      if (worker !== one) return
      worker = undefined
      running?.reject(failure('it exited. The next request starts it again', cause ?? new Error(`exit code ${code}`)))
      proceed()
    })
    return one
  }
  const proceed = (): void => {
    clearTimeout(patience)
    ;[running] = waiting
    // An idle thread does not keep the process alive.
    if (!running) return void worker?.unref()
    waiting.delete(running)
    worker ??= begin()
    worker.ref()
    patience = setTimeout(() => void worker?.terminate(), PATIENCE)
    worker.postMessage(running.texts)
  }
  return {
    async ask(texts, signal) {
      signal.throwIfAborted()
      if (isClosed) throw failure('it was closed')
      const { promise, resolve, reject } = Promise.withResolvers<EmbedResult>()
      const order: Order = { texts, resolve, reject }
      const onAbort = (): void => {
        waiting.delete(order)
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.add(order)
      if (!running) proceed()
      return promise.finally(() => signal.removeEventListener('abort', onAbort))
    },
    async close() {
      isClosed = true
      clearTimeout(patience)
      const ending = worker
      worker = undefined
      for (const order of [...waiting, ...(running ? [running] : [])]) order.reject(failure('it was closed'))
      waiting.clear()
      running = undefined
      await ending?.terminate()
    },
  }
}

function failure(reason: string, cause?: unknown): HeadgateError {
  return new HeadgateError('upstream', `The thread of the model: ${reason}.`, { cause })
}

/** The worker file is next to this file, built or as source. */
export function startWorker(): Worker {
  return new Worker(new URL(`./embed.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url), {
    execArgv: [],
  })
}
