import { join } from 'node:path'
import type { UsageRow } from '@headgate/core'
import { appendLines } from './lines.ts'

/** What the store will never take: a row, or a line of a spill file that holds none. */
export type Refused = { readonly row: UsageRow } | { readonly line: string }

/** A file of the data directory for rows that the store refuses. They keep nothing else out of it, and nothing takes them in again. */
export interface PutAside {
  /** Returns once it is on the disk. */
  add(refused: Refused, reason: string): void
  /** How many were put aside since the start. */
  count(): number
}

export function createPutAside(dataDir: string): PutAside {
  let path = fileIn(dataDir)
  let count = 0
  return {
    add: (refused, reason) => {
      try {
        appendLines(path, [JSON.stringify({ reason, ...refused }, speaking)])
      } catch (error) {
        path = fileIn(dataDir)
        throw error
      }
      count += 1
    },
    count: () => count,
  }
}

/** One writer a file. */
function fileIn(dataDir: string): string {
  return join(dataDir, `usage-put-aside-${process.pid}-${Date.now()}.jsonl`)
}

/** Values that JSON has no word for. */
function speaking(_: string, value: unknown): unknown {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value
}
