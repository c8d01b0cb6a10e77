import type { SinkBatch, SinkInstance } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { NO_CALL } from './exchange.ts'
import type { Sender } from './sender.ts'

/** Delivers a batch once. Rejects with HeadgateError. */
export type SinkWriter = (batch: SinkBatch, signal: AbortSignal) => Promise<void>

/** Function that delivers batches to a sink. The first one prepares the destination. */
export function createBatchWriter(sink: SinkInstance, sender: Pick<Sender, 'run'>): SinkWriter {
  const { write, setup } = sink
  let isSetUp = setup === undefined
  return async (batch, signal) => {
    if (setup && !isSetUp) {
      await sender.run(sink, setup, undefined, signal).catch(unprepared)
      isSetUp = true
    }
    if ('request' in write) return sender.run(sink, write, batch, signal)
    return untilAborted(write.run(batch, signal, NO_CALL), signal)
  }
}

/** A failed setup does not concern the batch, which must not be set aside. */
function unprepared(error: unknown): never {
  const failure = HeadgateError.is(error) ? error : new HeadgateError('internal', String(error))
  if (failure.kind !== 'invalid-request' && failure.kind !== 'too-large') throw failure
  throw new HeadgateError('upstream', `the destination cannot be prepared: ${failure.message}`)
}

/** A sink that ignores its signal must not keep the program from ending. */
function untilAborted(writing: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new HeadgateError('timeout', 'it did not answer in time'))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    writing.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
