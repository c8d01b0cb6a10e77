import { HeadgateError } from '@headgate/core/store'
import { type SubKeys, transact, type Writing } from '@headgate/store/sql'
import type { Parts } from '../parts.ts'
import type { Origin } from '../roles/caller.ts'
import { networkOf } from './address.ts'

/** Whose failures are counted: an account, whether it exists or not, and where from. */
export interface Attempt {
  /** Normalised, or whatever else was given. */
  readonly email?: string | undefined
  readonly address?: string | undefined
}

/** Failures that cost no time. */
const FREE = 5
/** What the next one costs, and at most, in milliseconds: each doubles it. */
const WAIT = { first: 1_000, most: 15 * 60_000 }
/** After how long without one they are forgotten, in milliseconds. */
export const FORGOTTEN = 86_400_000

/**
 * Counts an attempt as a failure before it is made, so that many at once are counted too; {@link forgive} takes it back.
 * @throws HeadgateError `over-limit` with the wait, of an account or address that has failed too often.
 */
export async function countAttempt({ connection, keys, now }: Parts, attempt: Attempt): Promise<void> {
  await transact(connection, async (trx) => {
    for (const subject of subjectsOf(keys, attempt)) await countOne(trx, subject, now())
  })
}

/** Counts that somebody asks for a mail as a failed sign-in of their address. @throws HeadgateError `over-limit` with the wait. */
export async function countAsking(parts: Parts, { address }: Origin): Promise<void> {
  await countAttempt(parts, { address })
}

async function countOne(trx: Writing, subject: string, now: number): Promise<void> {
  const found = await trx
    .insertInto('sign_in_failures')
    .values({ subject, failures: 0, last_at: now, until_at: 0 })
    // Changes nothing, but has whoever comes next wait for this transaction.
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ subject }))
    .returningAll()
    .executeTakeFirstOrThrow()
  const wait = Number(found.until_at) - now
  if (wait > 0) throw new HeadgateError('over-limit', 'Too many sign-ins have failed. Wait, and try again.', { retryAfterMs: wait })
  const failures = (now - Number(found.last_at) < FORGOTTEN ? Number(found.failures) : 0) + 1
  await trx
    .updateTable('sign_in_failures')
    .set({ failures, last_at: now, until_at: now + waitAfter(failures) })
    .where('subject', '=', subject)
    .execute()
}

/** How long nobody may try after so many failures, in milliseconds. */
export function waitAfter(failures: number): number {
  return failures < FREE ? 0 : Math.min(WAIT.first * 2 ** (failures - FREE), WAIT.most)
}

/** After a success: the account has no failures, and its address one less: who has an account of one's own does not free an address. */
export async function forgive(trx: Writing, keys: SubKeys, { email, address }: Attempt): Promise<void> {
  if (email !== undefined) await trx.deleteFrom('sign_in_failures').where('subject', 'in', subjectsOf(keys, { email })).execute()
  await takeBack(trx, keys, { address })
}

/** Takes back an attempt that was counted and not made. */
async function takeBack(trx: Writing, keys: SubKeys, attempt: Attempt): Promise<void> {
  for (const subject of subjectsOf(keys, attempt)) {
    // Changes nothing, but waits for whoever counts one meanwhile.
    const lock = trx.updateTable('sign_in_failures').set({ subject }).where('subject', '=', subject)
    const row = await lock.returningAll().executeTakeFirst()
    if (!row) continue
    const failures = Math.max(Number(row.failures) - 1, 0)
    const until = waitAfter(failures) === 0 ? 0 : row.until_at
    await trx.updateTable('sign_in_failures').set({ failures, until_at: until }).where('subject', '=', subject).execute()
  }
}

/** Counts an attempt, and makes it; one that can not be made now is not counted. @throws HeadgateError as both do. */
export async function attempted<Result>(parts: Parts, attempt: Attempt, make: () => Promise<Result>): Promise<Result> {
  await countAttempt(parts, attempt)
  try {
    return await make()
  } catch (error) {
    await transact(parts.connection, (trx) => takeBack(trx, parts.keys, attempt))
    throw error
  }
}

/** Codes of them, in an order that all transactions have. People type passwords where a mail address belongs: neither is kept. */
function subjectsOf(keys: SubKeys, { email, address }: Attempt): string[] {
  return [
    ...(email === undefined ? [] : [keys.sign(['account', email], 0)]),
    ...(address === undefined ? [] : [keys.sign(['address', networkOf(address)], 0)]),
  ].sort()
}
