import { openCommandStore } from '@headgate/store'
import { openConnection } from '../../../../packages/store/src/database/connection.ts'
import { locationOf } from '../../../../packages/store/src/store.ts'
import type { Deployment } from './deployment.ts'

/** Sums of the rows of a key, of all windows of its budgets, and the most that one window counts. */
export interface KeySpending {
  charged: bigint
  held: bigint
  counted: bigint
  most: bigint
  rows: number
}

/** What a store says that keys have spent, once all who serve have ended. Amounts are nano-dollars. */
export interface Spending {
  /**
   * By key: what its rows charged, what they held for calls whose cost nobody knows, and what counts for its budgets.
   */
  readonly keys: ReadonlyMap<string, KeySpending>
  /** What does not add up. */
  readonly findings: readonly string[]
}

export async function readSpending({ places }: Deployment): Promise<Spending> {
  const findings: string[] = []
  for (const place of places) {
    const archive = await openCommandStore({ ...place, onProblem: (problem) => findings.push(problem) })
    try {
      await archive.ingest()
      if (place === places.at(-1)) findings.push(...(await archive.check()).map((finding) => JSON.stringify(finding)))
    } finally {
      await archive.close()
    }
  }
  const [place] = places
  if (!place) throw new TypeError('There is at least one node.')
  const connection = await openConnection(locationOf(place))
  try {
    const { db } = connection
    const budgets = await db
      .selectFrom('budgets')
      .innerJoin('budget_windows', 'budget_windows.budget', 'budgets.id')
      .select(['budgets.owner', 'budget_windows.spent', 'budget_windows.leased'])
      .execute()
    const rows = await db.selectFrom('usage').select(['principal', 'charged', 'held']).execute()
    const keys = new Map<string, KeySpending>()
    for (const { owner, spent } of budgets) {
      const known = keys.get(owner) ?? { charged: 0n, held: 0n, counted: 0n, most: 0n, rows: 0 }
      known.counted += BigInt(spent)
      if (known.most < BigInt(spent)) known.most = BigInt(spent)
      keys.set(owner, known)
    }
    for (const { owner, leased } of budgets)
      if (BigInt(leased) !== 0n) findings.push(`${owner} still has ${leased} in leases`)
    for (const row of rows) {
      const known = keys.get(row.principal)
      if (!known) continue
      known.charged += BigInt(row.charged ?? 0)
      known.held += BigInt(row.held ?? 0)
      known.rows += 1
    }
    return { keys, findings }
  } finally {
    await connection.close()
  }
}
