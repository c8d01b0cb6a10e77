import type { Parts } from '../parts.ts'
import { inTransaction } from '../transaction.ts'
import { type AuditEntry, entryOf } from './audit.ts'
import { chainOf } from './chain.ts'

/** Holder of the export to a destination. */
export interface AuditLease {
  /** Name of the destination. */
  readonly destination: string
  /** Id of the process. */
  readonly holder: string
}

/** Entries for a destination, and the position behind them. */
export interface AuditBatch {
  /** Entries in the order of their chains. */
  readonly entries: readonly AuditEntry[]
  /** Number of the last entry by chain. */
  readonly upTo: Readonly<Record<string, number>>
}

/**
 * Claims the export to a destination for some time, or renews the claim. Resolves with false if another process has it.
 */
export function claimAuditExport(parts: Parts, { destination, holder }: AuditLease, forMs: number): Promise<boolean> {
  return inTransaction(parts, async (trx, now) => {
    const claimed = await trx
      .insertInto('audit_exports')
      .values({ destination, holder, held_until: now + forMs })
      .onConflict((conflict) =>
        conflict
          .column('destination')
          .doUpdateSet({ holder, held_until: now + forMs })
          .where(({ eb, or }) =>
            or([eb('audit_exports.holder', '=', holder), eb('audit_exports.held_until', '<=', BigInt(now))]),
          ),
      )
      .returning('destination')
      .execute()
    return claimed.length > 0
  })
}

/** Ends a claim, so that another process can continue immediately. */
export async function releaseAuditExport(parts: Parts, { destination, holder }: AuditLease): Promise<void> {
  await inTransaction(parts, (trx) =>
    trx
      .updateTable('audit_exports')
      .set({ held_until: 0n })
      .where('destination', '=', destination)
      .where('holder', '=', holder)
      .execute(),
  )
}

/** The next entries for a destination. A new destination begins with the oldest entry. */
export async function readAuditExport({ connection }: Parts, destination: string, most: number): Promise<AuditBatch> {
  const { db } = connection
  const chains = await db
    .selectFrom('audit_chains as c')
    .leftJoin('audit_positions as p', (join) =>
      join.onRef('p.organization', '=', 'c.organization').on('p.destination', '=', destination),
    )
    .select(['c.organization', 'c.number', 'p.number as after'])
    .orderBy('c.organization')
    .execute()
  const entries: AuditEntry[] = []
  const upTo: Record<string, number> = {}
  for (const { organization, number, after } of chains) {
    if (entries.length >= most) break
    if (number <= (after ?? 0n)) continue
    const found = await db
      .selectFrom('audit')
      .selectAll()
      .where('organization', organization === '' ? 'is' : '=', organization === '' ? null : organization)
      .where('number', '>', after ?? 0n)
      .orderBy('number')
      .limit(most - entries.length)
      .execute()
    for (const row of found) {
      entries.push(entryOf(row))
      upTo[chainOf(row.organization)] = Number(row.number)
    }
  }
  return { entries, upTo }
}

/** Stores that a destination has accepted entries. Resolves with false if another process has the export now. */
export function advanceAuditExport(
  parts: Parts,
  { destination, holder }: AuditLease,
  upTo: AuditBatch['upTo'],
): Promise<boolean> {
  return inTransaction(parts, async (trx) => {
    const held = await trx
      .updateTable('audit_exports')
      .set({ holder })
      .where('destination', '=', destination)
      .where('holder', '=', holder)
      .returning('destination')
      .execute()
    if (held.length === 0) return false
    for (const [organization, number] of Object.entries(upTo))
      await trx
        .insertInto('audit_positions')
        .values({ destination, organization, number })
        .onConflict((conflict) => conflict.columns(['destination', 'organization']).doUpdateSet({ number }))
        .execute()
    return true
  })
}
