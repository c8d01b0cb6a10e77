import type { SinkState } from '@headgate/store'
import { Counter, Gauge, type Registry } from 'prom-client'

/** States of the sinks that this process delivers to. */
export interface SinkStates {
  update(state: SinkState): void
  /** Problems of sinks, for `/readyz`. They do not make the program unready. */
  notes(): readonly string[]
  all(): readonly SinkState[]
}

const MS = 1_000

export function createSinkStates(): SinkStates {
  const states = new Map<string, SinkState>()
  return {
    update: (state) => void states.set(state.name, state),
    notes: () =>
      [...states.values()].flatMap(({ name, problem, waitingBytes }) =>
        problem === undefined ? [] : [`${waitingBytes} bytes of usage rows wait for the sink ${name}: ${problem}`],
      ),
    all: () => [...states.values()],
  }
}

/** Registers the metrics of sinks. */
export function registerSinks(states: Pick<SinkStates, 'all'>, registers: Registry[]): void {
  new Counter({
    name: 'headgate_sink_rows_total',
    help: 'Usage rows for a sink, by result: `sent`, `refused` by the destination, `left_out` by a full backlog.',
    labelNames: ['sink', 'result'],
    registers,
    collect() {
      this.reset()
      for (const { name, sent, refused, leftOut } of states.all()) {
        this.inc({ sink: name, result: 'sent' }, sent)
        this.inc({ sink: name, result: 'refused' }, refused)
        this.inc({ sink: name, result: 'left_out' }, leftOut)
      }
    },
  })
  new Gauge({
    name: 'headgate_sink_waiting_bytes',
    help: 'Bytes of usage rows that wait on disk for a sink.',
    labelNames: ['sink'],
    registers,
    collect() {
      for (const { name, waitingBytes } of states.all()) this.set({ sink: name }, waitingBytes)
    },
  })
  new Gauge({
    name: 'headgate_sink_lag_seconds',
    help: 'Age of the oldest usage row that waits for a sink.',
    labelNames: ['sink'],
    registers,
    aggregator: 'max',
    collect() {
      for (const { name, lagMs } of states.all()) this.set({ sink: name }, lagMs / MS)
    },
  })
}
