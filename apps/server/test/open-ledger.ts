import { readdirSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { UsageRow } from '@headgate/core'
import { onTestFinished, vi } from 'vitest'
import { openDatabase } from '../src/store/database.ts'
import { createLedger } from '../src/store/ledger.ts'
import { createPutAside, type PutAside } from '../src/store/put-aside.ts'
import { createSpill, type Spill } from '../src/store/spill.ts'
import { createUsageTable } from '../src/store/usage.ts'
import { temporaryFolder } from './temporary.ts'
import { usageRow } from './usage-row.ts'

interface Options {
  readonly folder?: string
  readonly spill?: Spill
  readonly aside?: PutAside
}

/** A ledger on a store of its own, for the length of one test. */
export function open({ folder = temporaryFolder(), spill = createSpill(folder), aside = createPutAside(folder) }: Options = {}) {
  const database = openDatabase(folder)
  const problems: string[] = []
  const table = createUsageTable(database)
  const insert = vi.spyOn(table, 'insert')
  const ledger = createLedger({ table, spill, aside, onProblem: (problem) => problems.push(problem), retry: 10 })
  onTestFinished(() => {
    ledger.close()
    database.close()
  })
  return { folder, database, ledger, insert, problems, ids: () => requestIds(database), spillFiles: () => spillFilesOf(folder) }
}

export function requestIds(database: DatabaseSync): unknown[] {
  return database
    .prepare('SELECT request_id FROM usage ORDER BY id')
    .all()
    .map((row) => row['request_id'])
}

function spillFilesOf(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('usage-spill'))
}

/** Rows with these request ids. */
export function rows(...ids: string[]): UsageRow[] {
  return ids.map((requestId) => usageRow({ requestId }))
}

/** Keeps the store from being written, as a full disk would; returns what ends it. */
export function fill(database: DatabaseSync): () => void {
  const { page_count } = database.prepare('PRAGMA page_count').get() ?? {}
  database.exec(`PRAGMA max_page_count = ${Number(page_count)}`)
  return () => database.exec('PRAGMA max_page_count = 1000000')
}

/** More rows than the free space of the store's last pages can take. */
export function many(prefix: string): UsageRow[] {
  return rows(...Array.from({ length: 100 }, (_, index) => `${prefix}${index}`))
}
