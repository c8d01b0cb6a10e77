import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { TraceSink, WireTrace } from '@headgate/gateway/ports'
import type { Secret } from '../secret/secret.ts'
import type { Traces as TraceRows } from './traces.ts'

/** Time that traces are stored, in milliseconds. */
const KEPT = 86_400_000
/** Maximum number of traces being written, and per minute. Further requests of a busy key are not stored. */
const WRITING = 16
const OF_A_MINUTE = 120
const MINUTE = 60_000
/** Maximum size of a trace in bytes, enough for several bodies of 128 KB. */
const MOST = 8 * 1024 * 1024

const pack = promisify(deflateRaw)
const unpack = promisify(inflateRaw)

/** Traces of requests and responses, stored encrypted for one day. */
export interface TraceBook extends TraceSink {
  /** Trace of a request; undefined if there is no trace. */
  read(requestId: string): Promise<WireTrace | undefined>
}

export interface TraceBookParts {
  readonly store: { readonly traces: Pick<TraceRows, 'add' | 'read'> }
  readonly secret: Secret
  onWarning(message: string): void
}

export function createTraceBook({ store, secret, onWarning }: TraceBookParts): TraceBook {
  const keys = secret.subKeys('traces')
  let writing = 0
  let minute = { begun: Number.NEGATIVE_INFINITY, stored: 0, isReported: false }

  const hasRoom = (): boolean => {
    if (performance.now() - minute.begun >= MINUTE) minute = { begun: performance.now(), stored: 0, isReported: false }
    if (writing < WRITING && minute.stored < OF_A_MINUTE) return true
    if (!minute.isReported) onWarning('Too many requests are traced: some traces are not stored. Trace fewer keys.')
    minute.isReported = true
    return false
  }
  const write = async (trace: WireTrace): Promise<void> => {
    const { requestId, principal, startedAt } = trace
    const sealed = keys.seal(await pack(JSON.stringify(trace)), requestId)
    await store.traces.add({ requestId, key: principal, at: startedAt, endsAt: Date.now() + KEPT, sealed })
  }

  return {
    keep(trace) {
      if (!hasRoom()) return
      writing += 1
      minute.stored += 1
      write(trace)
        .catch((error: unknown) =>
          onWarning(`The trace of request ${trace.requestId} could not be stored: ${String(error)}`),
        )
        .finally(() => {
          writing -= 1
        })
    },
    async read(requestId) {
      const found = await store.traces.read(requestId)
      const bytes = found && keys.open(found.sealed, requestId)
      return bytes && JSON.parse((await unpack(bytes, { maxOutputLength: MOST })).toString())
    },
  }
}
