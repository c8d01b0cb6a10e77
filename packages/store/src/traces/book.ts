import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Traces, WireTrace } from '@headgate/gateway/ports'
import type { Secret } from '../secret/secret.ts'
import type { Traces as TraceRows } from './traces.ts'

/** How long what went over the wire is kept, in milliseconds. */
const KEPT = 86_400_000
/** Most that are being written, and most of a minute: what a busy key asks beyond is not kept. */
const WRITING = 16
const OF_A_MINUTE = 120
const MINUTE = 60_000
/** Most bytes of one: some bodies of 128 KB. */
const MOST = 8 * 1024 * 1024

const pack = promisify(deflateRaw)
const unpack = promisify(inflateRaw)

/** What went over the wire: kept encrypted, for a day. */
export interface TraceBook extends Traces {
  /** Undefined where nothing of this request is kept. */
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
  let minute = { begun: Number.NEGATIVE_INFINITY, kept: 0, isTold: false }

  const hasRoom = (): boolean => {
    if (performance.now() - minute.begun >= MINUTE) minute = { begun: performance.now(), kept: 0, isTold: false }
    if (writing < WRITING && minute.kept < OF_A_MINUTE) return true
    if (!minute.isTold) onWarning('More is traced than can be kept: some of what goes over the wire is not.')
    minute.isTold = true
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
      minute.kept += 1
      write(trace)
        .catch((error: unknown) =>
          onWarning(`What went over the wire of ${trace.requestId} could not be kept: ${String(error)}`),
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
