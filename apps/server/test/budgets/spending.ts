import { openArchive } from '@headgate/store'
import { openConnection } from '../../../../packages/store/src/database/connection.ts'
import { placeOf } from '../../../../packages/store/src/store.ts'
import type { Deployment } from './deployment.ts'

/** What a store says that keys have spent, once all who serve have ended. Amounts are nano-dollars. */
export interface Spending {
  /** By key: what its rows charged, what they held for calls whose cost nobody knows, and what counts for its budgets. */
  readonly keys: ReadonlyMap<string, { readonly charged: bigint; readonly held: bigint; readonly counted: bigint; readonly rows: number }>
  /** What does not add up. */
  readonly findings: readonly string[]
}

export async function readSpending({ places }: Deployment): Promise<Spending> {
  const findings: string[] = []
  for (const place of places) {
    const archive = await openArchive({ ...place, onProblem: (problem) => findings.push(problem) })
    try {
      await archive.takeIn()
      if (place === places.at(-1)) findings.push(...(await archive.check()).map((finding) => JSON.stringify(finding)))
    } finally {
      await archive.close()
    }
  }
  const [place] = places
  if (!place) throw new TypeError('There is at least one node.')
  const connection = await openConnection(placeOf(place))
  try {
    const { db } = connection
    const budgets = await db
      .selectFrom('budgets')
      .innerJoin('budget_windows', 'budget_windows.budget', 'budgets.id')
      .select(['budgets.owner', 'budget_windows.spent', 'budget_windows.leased'])
      .execute()
    const rows = await db.selectFrom('usage').select(['principal', 'charged', 'held']).execute()
    const keys = new Map(budgets.map(({ owner, spent }) => [owner, { charged: 0n, held: 0n, counted: BigInt(spent), rows: 0 }]))
    for (const { owner, leased } of budgets) if (BigInt(leased) !== 0n) findings.push(`${owner} still has ${leased} in leases`)
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
