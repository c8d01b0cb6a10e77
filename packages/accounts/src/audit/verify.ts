import type { Parts } from '../parts.ts'
import { entryHash, NO_ENTRY } from './chain.ts'

/** Chain of audit entries. */
export interface AuditChain {
  /** Id of the organization; empty for entries without one. */
  readonly organization: string
  /** Number of the newest entry. */
  readonly newest: number
}

/** Position in the verification of a chain. */
export interface VerifiedUpTo {
  /** Number of the last verified entry. */
  readonly number: number
  /** Its hash. */
  readonly hash: string
}

/** Difference between a chain and its entries. */
export interface ChainProblem {
  /** Number of the entry. */
  readonly number: number
  /** `missing`: the entry was removed. `changed`: its content does not match the hash that the next one has. */
  readonly kind: 'missing' | 'changed'
}

/** Result of one step of a verification. */
export interface ChainCheck {
  /** Number of verified entries in this step. */
  readonly entries: number
  /** Position for the next step; undefined = the chain is verified, or has a problem. */
  readonly next: VerifiedUpTo | undefined
  readonly problem: ChainProblem | undefined
}

/** Entries per step. */
const STEP = 1_000

/** All chains. */
export async function auditChains({ connection }: Parts): Promise<readonly AuditChain[]> {
  const chains = await connection.db.selectFrom('audit_chains').selectAll().orderBy('organization').execute()
  return chains.map(({ organization, number }) => ({ organization, newest: Number(number) }))
}

/**
 * Verifies some entries of a chain: numbers without gaps, and the hash of each entry in the next one. The newest entry
 * is compared to the hash of the chain.
 */
export async function verifyChain(
  { connection }: Parts,
  organization: string,
  from?: VerifiedUpTo,
): Promise<ChainCheck> {
  const { db } = connection
  const chain = await db
    .selectFrom('audit_chains')
    .selectAll()
    .where('organization', '=', organization)
    .executeTakeFirst()
  if (!chain) return { entries: 0, next: undefined, problem: undefined }
  const [first, newest] = [Number(chain.first), Number(chain.number)]
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where('organization', organization === '' ? 'is' : '=', organization === '' ? null : organization)
    .where('number', '>', BigInt(from?.number ?? 0))
    .where('number', '<=', chain.number)
    .orderBy('number')
    .limit(STEP)
    .execute()
  // Retention deletes the oldest entries, so that the hash before the first one is unknown.
  const isKnown = from !== undefined && from.number + 1 >= first
  let before: VerifiedUpTo | undefined = isKnown ? from : first === 1 ? { number: 0, hash: NO_ENTRY } : undefined
  let expected = Math.max(first, (from?.number ?? 0) + 1)
  for (const row of rows) {
    const number = Number(row.number)
    if (number > expected) return broken(expected, 'missing')
    if (before && row.previous !== before.hash) return broken(Math.max(before.number, 1), 'changed')
    before = { number, hash: entryHash(row) }
    expected = number + 1
  }
  if (rows.length === STEP && before) return { entries: rows.length, next: before, problem: undefined }
  if (expected <= newest) return broken(expected, 'missing')
  if (before && before.number === newest && before.hash !== chain.hash) return broken(newest, 'changed')
  return { entries: rows.length, next: undefined, problem: undefined }
}

function broken(number: number, kind: ChainProblem['kind']): ChainCheck {
  return { entries: 0, next: undefined, problem: { number, kind } }
}
