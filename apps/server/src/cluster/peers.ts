import type { Peers } from '../service/serving.ts'
import type { About, Report } from './messages.ts'
import { mergedHealth, snapshotOf, summedText } from './reports.ts'
import { createSharedCounters, type SharedCounters, type SharedCountersParts } from './shared-counters.ts'

/** Time limit for reports in milliseconds. Longer than the primary process waits for a busy worker. */
const PATIENCE = 5_000

/** Workers of the program, as seen by one of them. */
export interface WorkerPeers extends Peers {
  gathered(id: number, reports: readonly Report[]): void
  noted(notes: readonly string[]): void
  readonly counters: SharedCounters
}

export interface PeersParts extends Pick<SharedCountersParts, 'tell' | 'openOwn'> {
  /** Number of workers. */
  readonly size: number
  warn(warning: string): void
}

export function createPeers({ size, tell, openOwn, warn }: PeersParts): WorkerPeers {
  const waiting = new Map<number, (reports: readonly Report[]) => void>()
  let lastId = 0
  let notes: readonly string[] = []

  /** Undefined if the primary process does not answer and is probably gone. */
  const gather = async (about: About): Promise<readonly Report[] | undefined> => {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<readonly Report[] | undefined>()
    const timer = setTimeout(() => resolve(undefined), PATIENCE)
    waiting.set(id, resolve)
    tell({ kind: 'gather', id, about })
    const reports = await promise
    clearTimeout(timer)
    waiting.delete(id)
    return reports
  }
  const counters = createSharedCounters({
    tell,
    openOwn,
    onSilence: () =>
      warn(
        'The primary process does not answer requests for rate limits. This worker counts its requests itself until it does.',
      ),
  })
  return {
    size,
    counters,
    gathered: (id, reports) => waiting.get(id)?.(reports),
    noted: (given) => {
      notes = given
    },
    notes: () => notes,
    changed: () => tell({ kind: 'changed' }),
    notReady: async () => {
      const reports = (await gather('readiness')) ?? [['the primary process does not answer']]
      return reports.flat().filter((reason) => typeof reason === 'string')
    },
    health: async () => mergedHealth((await gather('health')) ?? []),
    metrics: async (format = 'prometheus') => {
      const reports = await gather('metrics')
      if (!reports) throw new Error('the primary process does not answer')
      return summedText(reports.map(snapshotOf), format)
    },
  }
}
