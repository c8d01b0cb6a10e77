import { openConnection } from '../../packages/store/src/database/connection.ts'
import { openCommandStore } from '../../packages/store/src/index.ts'
import { locationOf } from '../../packages/store/src/store.ts'
import type { StoredCall } from './checker.ts'
import type { Fleet } from './deployment.ts'

/** Contents of the store after all journals were ingested. */
export interface FleetBooks {
  readonly rows: readonly StoredCall[]
  /** Inconsistencies of the store, and rows that it rejected. */
  readonly findings: readonly string[]
  /** Budgets with leases that no process uses. */
  readonly leased: readonly string[]
}

/** Time without a heartbeat after which a process run is lost, in milliseconds. */
const SILENT = 10_000
const LOOK = 1_000

/** Ingests the journals of all nodes, which have ended, and reads the store. */
export async function readFleetBooks({ nodes, databaseUrl }: Fleet): Promise<FleetBooks> {
  const findings: string[] = []
  for (const { dataDir } of nodes) {
    const store = await openCommandStore({ dataDir, databaseUrl, onProblem: (problem) => findings.push(problem) })
    try {
      await store.ingest()
      if (dataDir === nodes.at(-1)?.dataDir)
        findings.push(...(await store.check()).map((finding) => JSON.stringify(finding)))
    } finally {
      await store.close()
    }
  }
  const connection = await openConnection(locationOf({ dataDir: '', databaseUrl }))
  try {
    const { db } = connection
    const rows = await db.selectFrom('usage').select(['tags', 'why']).execute()
    const windows = await db.selectFrom('budget_windows').select(['budget', 'leased']).execute()
    return {
      // Rows of orphaned leases have no tags.
      rows: rows.flatMap(({ tags, why }) =>
        tags === null ? [] : [{ number: Number(Object(JSON.parse(String(tags)))['call']), why: String(why) }],
      ),
      findings,
      leased: windows.flatMap(({ budget, leased }) =>
        BigInt(leased) === 0n ? [] : [`${budget} still has ${leased} nano-dollars in leases`],
      ),
    }
  } finally {
    await connection.close()
  }
}

/**
 * Waits until no lost process run has an unused lease.
 *
 * @param until moment of `performance.now()`
 * @returns false if there still is one then
 */
export async function untilLeasesEnd({ databaseUrl }: Fleet, until: number): Promise<boolean> {
  const connection = await openConnection(locationOf({ dataDir: '', databaseUrl }))
  try {
    for (;;) {
      const lost = await connection.db
        .selectFrom('budget_leases as l')
        .innerJoin('process_runs as r', 'r.id', 'l.run')
        .select('l.run')
        .whereRef('l.granted', '>', 'l.used')
        .where('r.seen_at', '<', BigInt(Date.now() - SILENT))
        .execute()
      if (lost.length === 0) return true
      if (performance.now() > until) return false
      await new Promise((resolve) => setTimeout(resolve, LOOK))
    }
  } finally {
    await connection.close()
  }
}
