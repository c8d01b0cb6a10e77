import { join, resolve } from 'node:path'
import { type Measured, startNode } from './process.ts'

/** This checkout. */
export const root = resolve(import.meta.dirname, '..')

/** Processes of a benchmark, and the upstream in front of which they stand. */
export interface Started {
  /** Where the upstream is. */
  readonly origin: string
  /** Has a process, or none where it could not be installed, stopped at the end. */
  start<One extends Measured | undefined>(starting: Promise<One>): Promise<One>
}

/** Starts the upstream of the benchmarks, measures, and stops whatever was started, however that ends. */
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
