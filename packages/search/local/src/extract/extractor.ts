import { Worker } from 'node:worker_threads'
import type { Extract, Refusal } from '../document.ts'
import { workerFile } from '../worker-file.ts'
import type { Raw } from './extract.ts'

/** Timeout per file in milliseconds. */
const PATIENCE = 10_000
/** Memory limit of the thread in megabytes. */
const MOST_MEMORY = 1_024

/** Reads files one after the other. */
export interface Extractor {
  /** Extracts text. Transfers the bytes: the caller cannot use them any more. */
  extract(raw: Raw): Promise<Extract | Refusal>
  close(): Promise<void>
}

type ExtractResult = Extract | Refusal | 'late' | 'failed'

/** Extractor in a separate thread, which is stopped if a file takes too long or too much memory. */
export function startExtractor(patience: number = PATIENCE): Extractor {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let settle: (result: ExtractResult) => void = () => undefined

  const start = (): Worker => {
    const worker = new Worker(workerFile('extract'), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY },
    })
    const failed = () => worker === thread && settle('failed')
    return worker
      .on('message', (result: Extract | Refusal) => worker === thread && settle(result))
      .on('error', failed)
      .on('exit', failed)
  }
  const stop = async () => {
    const ending = thread
    thread = undefined
    await ending?.terminate()
    settle('failed')
  }
  const run = async (raw: Raw): Promise<Extract | Refusal> => {
    thread ??= start()
    const { promise, resolve } = Promise.withResolvers<ExtractResult>()
    settle = resolve
    const timer = setTimeout(resolve, patience, 'late')
    thread.postMessage(raw, [raw.bytes.buffer])
    const result = await promise
    clearTimeout(timer)
    if (typeof result === 'object') return result
    await stop()
    return { reason: result === 'late' ? `takes more than ${patience / 1_000} s to read` : 'crashes its reader' }
  }
  return {
    close: stop,
    extract(raw) {
      const result = last.then(() => run(raw))
      last = result
      return result
    },
  }
}
