import { Worker } from 'node:worker_threads'
import { HeadgateError } from '@headgate/core/provider'
import type { Answer } from './messages.ts'

/** Milliseconds that one order may take, the loading of the model included. */
const PATIENCE = 60_000

/**
 * The thread that holds the model: started by the first order, and again by the next one after it has ended by itself.
 */
export interface Thread {
  /**
   * Orders are answered one after the other, in turn. Rejects with what the signal aborts for, and with HeadgateError.
   */
  ask(texts: readonly string[], signal: AbortSignal): Promise<Answer>
  /** Ends it for good; what waits is rejected. */
  close(): Promise<void>
}

interface Order {
  readonly texts: readonly string[]
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** Nothing is started before the first order. */
export function createThread(start: () => Worker = startWorker): Thread {
  const waiting = new Set<Order>()
  let worker: Worker | undefined
  let running: Order | undefined
  let patience: NodeJS.Timeout | undefined
  let isClosed = false

  const begin = (): Worker => {
    const one = start()
    let cause: unknown
    one.on('message', (answer: Answer) => {
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
      running?.reject(
        failure('it has ended. The next request starts it again', cause ?? new Error(`exit code ${code}`)),
      )
      proceed()
    })
    return one
  }
  const proceed = (): void => {
    clearTimeout(patience)
    ;[running] = waiting
    // While nothing is asked, the process may end.
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
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
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

/** The file lies beside this one, built or as source. */
export function startWorker(): Worker {
  return new Worker(new URL(`./embed.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url), {
    execArgv: [],
  })
}
