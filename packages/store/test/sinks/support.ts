import { setImmediate as turn } from 'node:timers/promises'
import type { SinkBatch, SinkInstance } from '@headgate/gateway/operate'
import type { SinkClock, SinkState } from '../../src/sinks/exporter.ts'
import { openSinks, type Sinks } from '../../src/sinks/sinks.ts'
import { UNKNOWN_OWNER } from '../../src/usage/owners.ts'

/** Clock whose waits end in the next turn of the event loop. */
export interface SimulatedClock extends SinkClock {
  at: number
  readonly waits: number[]
}

export function simulatedClock(at: number): SimulatedClock {
  const clock: SimulatedClock = {
    at,
    waits: [],
    now: () => clock.at,
    async wait(ms, signal) {
      signal.throwIfAborted()
      clock.waits.push(ms)
      clock.at += ms
      await turn()
      signal.throwIfAborted()
    },
  }
  return clock
}

/** Sink in this process. `take` gets each batch and throws to reject it. */
export function localSink(
  take: (batch: SinkBatch) => void | Promise<void>,
  more: Partial<SinkInstance> = {},
): SinkInstance {
  return {
    name: 'local',
    credential: { kind: 'none' },
    limits: { rows: 1_000, bytes: 1_000_000, waitMs: 5_000 },
    write: { run: async (batch) => take(batch) },
    ...more,
  }
}

/** Ids of the rows of a batch. */
export function idsOf({ lines }: SinkBatch): string[] {
  return lines.map((line) => String(JSON.parse(line).id))
}

export interface OpenedSinks extends Sinks {
  readonly problems: string[]
  readonly states: SinkState[]
}

export function openLocal(
  dataDir: string,
  sink: SinkInstance,
  { clock, maxBacklog }: { readonly clock: SinkClock; readonly maxBacklog?: number },
): OpenedSinks {
  const problems: string[] = []
  const states: SinkState[] = []
  const sinks = openSinks([{ name: 'local', sink, maxBacklog }], {
    dataDir,
    ownersOf: async (principals) =>
      new Map([...principals].map((id) => [id, { ...UNKNOWN_OWNER, project: `project of ${id}` }])),
    onProblem: (message) => problems.push(message),
    onState: (state) => states.push(state),
    clock,
  })
  return { ...sinks, problems, states }
}
