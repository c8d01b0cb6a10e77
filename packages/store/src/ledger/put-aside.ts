import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageRow } from '@headgate/gateway/ports'

/** What the store will never take: a row, or a line of a journal that holds none. */
export type Refused = { readonly row: UsageRow } | { readonly line: string }

/**
 * A file of the data directory for rows that the store refuses. They keep nothing else out of it, and nothing takes
 * them in again.
 */
export interface PutAside {
  /** Returns once it is on the disk. @throws where it is not, and nothing of it. */
  add(refused: Refused, reason: string): void
}

/** One writer a file. */
export function createPutAside(dataDir: string): PutAside {
  const path = join(dataDir, `usage-put-aside-${process.pid}-${Date.now()}.jsonl`)
  return {
    add(refused, reason) {
      const line = Buffer.from(`${JSON.stringify({ reason, ...refused }, speaking)}\n`)
      const file = openSync(path, 'a', 0o600)
      const { size } = fstatSync(file)
      try {
        for (let done = 0; done < line.length; ) done += writeSync(file, line, done)
        fsyncSync(file)
      } catch (error) {
        ftruncateSync(file, size)
        throw error
      } finally {
        closeSync(file)
      }
    },
  }
}

/** Values that JSON has no word for. */
function speaking(_: string, value: unknown): unknown {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value
}
