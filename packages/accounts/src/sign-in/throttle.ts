import { HeadgateError } from '@headgate/gateway/ports'
import type { SubKeys } from '@headgate/store/sql'
import type { Parts } from '../parts.ts'
import type { Origin } from '../roles/caller.ts'
import type { Writing } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { networkOf } from './address.ts'

/**
 * Whose failures are counted: an account, whether it exists or not, and an address, each by itself; or a known device
 * alone.
 */
export interface Attempt {
  /** Normalized, or whatever else was given. */
  readonly email?: string | undefined
  readonly address?: string | undefined
  /** A device that has signed in to the account before, or a session of it. Strangers cannot make it wait. */
  readonly device?: string | undefined
  /** The address of somebody who could learn whether an account exists, or have mail be sent. */
  readonly asking?: string | undefined
}

type Subject = keyof Attempt

/** Failures that cost no time. Many people may share an address. */
const FREE: Readonly<Record<Subject, number>> = { email: 5, device: 5, asking: 5, address: 50 }
/** What the next one costs, and at most, in milliseconds: each doubles it. */
const WAIT = { first: 1_000, most: 15 * 60_000 }
/** After how long without one they are forgotten, in milliseconds. */
export const FORGOTTEN = 86_400_000

/**
 * Counts an attempt as a failure before it is made, so that many at once are counted too; {@link forgive} takes it
 * back.
 * @throws HeadgateError `over-limit` with the wait, of an account or address that has failed too often.
 */
export async function countAttempt(parts: Parts, attempt: Attempt): Promise<void> {
  await inTransaction(parts, async (trx, now) => {
    for (const [subject, kind] of subjectsOf(parts.keys, attempt)) await countOne(trx, subject, kind, now)
  })
}

/** Counts a request for a mail, by its address. @throws HeadgateError `over-limit` with the wait. */
export async function countAsking(parts: Parts, { address }: Origin): Promise<void> {
  await countAttempt(parts, { asking: address })
}

async function countOne(trx: Writing, subject: string, kind: Subject, now: number): Promise<void> {
  const found = await trx
    .insertInto('sign_in_failures')
    .values({ subject, failures: 0, last_at: now, until_at: 0 })
    // Changes nothing, but has whoever comes next wait for this transaction.
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ subject }))
    .returningAll()
    .executeTakeFirstOrThrow()
  const wait = Number(found.until_at) - now
  if (wait > 0)
    throw new HeadgateError('over-limit', 'Too many sign-ins have failed. Wait, and try again.', { retryAfterMs: wait })
  const failures = (now - Number(found.last_at) < FORGOTTEN ? Number(found.failures) : 0) + 1
  await trx
    .updateTable('sign_in_failures')
    .set({ failures, last_at: now, until_at: now + waitAfter(failures, kind) })
    .where('subject', '=', subject)
    .execute()
}

/** How long nobody may try after so many failures, in milliseconds. */
export function waitAfter(failures: number, kind: Subject = 'email'): number {
  return failures < FREE[kind] ? 0 : Math.min(WAIT.first * 2 ** (failures - FREE[kind]), WAIT.most)
}

/**
 * After a success: the account or device has no failures, and the address one less: an account of one's own does not
 * free an address.
 */
export async function forgive(trx: Writing, keys: SubKeys, attempt: Attempt): Promise<void> {
  for (const [subject, kind] of subjectsOf(keys, attempt))
    if (kind === 'address' || kind === 'asking') await takeOneBack(trx, subject, kind)
    else await trx.deleteFrom('sign_in_failures').where('subject', '=', subject).execute()
}

/** Takes back an attempt that was counted and not made. */
async function takeBack(trx: Writing, keys: SubKeys, attempt: Attempt): Promise<void> {
  for (const [subject, kind] of subjectsOf(keys, attempt)) await takeOneBack(trx, subject, kind)
}

async function takeOneBack(trx: Writing, subject: string, kind: Subject): Promise<void> {
  // Changes nothing, but waits for whoever counts one meanwhile.
  const lock = trx.updateTable('sign_in_failures').set({ subject }).where('subject', '=', subject)
  const row = await lock.returningAll().executeTakeFirst()
  if (!row) return
  const failures = Math.max(Number(row.failures) - 1, 0)
  const until = waitAfter(failures, kind) === 0 ? 0 : row.until_at
  await trx.updateTable('sign_in_failures').set({ failures, until_at: until }).where('subject', '=', subject).execute()
}

/** Counts an attempt, and makes it; one that can not be made now is not counted. @throws HeadgateError as both do. */
export async function attempted<Result>(parts: Parts, attempt: Attempt, make: () => Promise<Result>): Promise<Result> {
  await countAttempt(parts, attempt)
  try {
    return await make()
  } catch (error) {
    await inTransaction(parts, (trx) => takeBack(trx, parts.keys, attempt))
    throw error
  }
}

/**
 * Codes of them, in an order that all transactions have. People type passwords where a mail address belongs: neither is
 * kept.
 */
function subjectsOf(
  keys: SubKeys,
  { email, address, device, asking }: Attempt,
): (readonly [code: string, kind: Subject])[] {
  if (device !== undefined) return [[keys.sign(['device', device], 0), 'device']]
  const subjects: (readonly [string, Subject])[] = [
    ...(email === undefined ? [] : [[keys.sign(['account', email], 0), 'email'] as const]),
    ...(address === undefined ? [] : [[keys.sign(['address', networkOf(address)], 0), 'address'] as const]),
    ...(asking === undefined ? [] : [[keys.sign(['asking', networkOf(asking)], 0), 'asking'] as const]),
  ]
  return subjects.sort(([one], [other]) => (one < other ? -1 : 1))
}
