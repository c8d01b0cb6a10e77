import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageRow } from '@headgate/gateway/ports'

/** Row that the store rejects permanently, or a journal line without a valid record. */
export type QuarantinedEntry = { readonly row: UsageRow } | { readonly line: string }

/** File in the data directory for rejected rows. They do not block other rows, and are not ingested again. */
export interface Quarantine {
  /** Returns once the entry is on the disk. @throws if it cannot be written; nothing of it is left then */
  add(refused: QuarantinedEntry, reason: string): void
}

/** Creates a quarantine file, one per writer. */
export function createQuarantine(dataDir: string): Quarantine {
  const path = join(dataDir, `usage-quarantine-${process.pid}-${Date.now()}.jsonl`)
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

/** Replaces values that JSON cannot represent. */
function speaking(_: string, value: unknown): unknown {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value
}
