import { join, resolve } from 'node:path'
import { type Measured, startNode } from './process.ts'

/** Root of this checkout. */
export const root = resolve(import.meta.dirname, '..')

/** Processes of a benchmark, and the upstream behind them. */
export interface Started {
  /** Origin of the upstream. */
  readonly origin: string
  /** Registers a process, if it could be installed, to be stopped at the end. */
  start<One extends Measured | undefined>(starting: Promise<One>): Promise<One>
}

/** Starts the benchmark's upstream, runs the measurement, and always stops all processes. */
export async function withStarted(measure: (started: Started) => Promise<void>): Promise<void> {
  const processes: Measured[] = []
  const start = async <One extends Measured | undefined>(starting: Promise<One>): Promise<One> => {
    const one = await starting
    if (one) processes.push(one)
    return one
  }
  try {
    const upstream = await start(startNode([join(root, 'bench/upstream.ts')]))
    await measure({ origin: `http://127.0.0.1:${upstream.port}`, start })
  } finally {
    await Promise.all(processes.map((one) => one.stop()))
  }
}
