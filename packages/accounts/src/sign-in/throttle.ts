import { HeadgateError } from '@headgate/gateway/ports'
import type { SubKeys } from '@headgate/store/sql'
import type { Parts } from '../parts.ts'
import type { RequestOrigin } from '../roles/caller.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { networkOf } from './address.ts'

/**
 * Subjects of failure counts: an account, whether it exists or not, and an address, counted separately; or only a known
 * device.
 */
export interface SignInAttempt {
  /** Normalized mail address, or the given text. */
  readonly email?: string | undefined
  readonly address?: string | undefined
  /** Device that has signed in to the account before, or one of its sessions. Strangers cannot delay it. */
  readonly device?: string | undefined
  /** Address of a caller who could probe for accounts or cause mails. */
  readonly asking?: string | undefined
}

type FailureSubject = keyof SignInAttempt

/** Failures without a wait. Many people may share an address. */
const FREE: Readonly<Record<FailureSubject, number>> = { email: 5, device: 5, asking: 5, address: 50 }
/** First and maximum wait in milliseconds. Each failure doubles it. */
const WAIT = { first: 1_000, most: 15 * 60_000 }
/** Time after which failures are forgotten, in milliseconds. */
export const FORGOTTEN = 86_400_000

/**
 * Counts an attempt as a failure before it starts, so that concurrent attempts count too; {@link forgive} reverts it.
 * @throws HeadgateError `over-limit` with the wait, for an account or address with too many failures.
 */
export async function countAttempt(parts: Parts, attempt: SignInAttempt): Promise<void> {
  await inTransaction(parts, async (trx, now) => {
    for (const [subject, kind] of subjectsOf(parts.keys, attempt)) await countOne(trx, subject, kind, now)
  })
}

/** Counts a request for a mail, by address. @throws HeadgateError `over-limit` with the wait. */
export async function countAsking(parts: Parts, { address }: RequestOrigin): Promise<void> {
  await countAttempt(parts, { asking: address })
}

async function countOne(trx: AccountsTransaction, subject: string, kind: FailureSubject, now: number): Promise<void> {
  const found = await trx
    .insertInto('sign_in_failures')
    .values({ subject, failures: 0, last_at: now, until_at: 0 })
    // A no-op update that makes concurrent transactions wait for this one.
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ subject }))
    .returningAll()
    .executeTakeFirstOrThrow()
  const wait = Number(found.until_at) - now
  if (wait > 0)
    throw new HeadgateError('over-limit', 'Too many failed sign-ins. Wait, and try again.', { retryAfterMs: wait })
  const failures = (now - Number(found.last_at) < FORGOTTEN ? Number(found.failures) : 0) + 1
  await trx
    .updateTable('sign_in_failures')
    .set({ failures, last_at: now, until_at: now + waitAfter(failures, kind) })
    .where('subject', '=', subject)
    .execute()
}

/** Wait after this many failures, in milliseconds. */
export function waitAfter(failures: number, kind: FailureSubject = 'email'): number {
  return failures < FREE[kind] ? 0 : Math.min(WAIT.first * 2 ** (failures - FREE[kind]), WAIT.most)
}

/**
 * Reverts failures after a success: the account or device has none, and the address one less. Attackers cannot clear an
 * address with an account they own.
 */
export async function forgive(trx: AccountsTransaction, keys: SubKeys, attempt: SignInAttempt): Promise<void> {
  for (const [subject, kind] of subjectsOf(keys, attempt))
    if (kind === 'address' || kind === 'asking') await takeOneBack(trx, subject, kind)
    else await trx.deleteFrom('sign_in_failures').where('subject', '=', subject).execute()
}

/** Reverts an attempt that was counted but not executed. */
async function takeBack(trx: AccountsTransaction, keys: SubKeys, attempt: SignInAttempt): Promise<void> {
  for (const [subject, kind] of subjectsOf(keys, attempt)) await takeOneBack(trx, subject, kind)
}

async function takeOneBack(trx: AccountsTransaction, subject: string, kind: FailureSubject): Promise<void> {
  // A no-op update that waits for concurrent counting.
  const lock = trx.updateTable('sign_in_failures').set({ subject }).where('subject', '=', subject)
  const row = await lock.returningAll().executeTakeFirst()
  if (!row) return
  const failures = Math.max(Number(row.failures) - 1, 0)
  const until = waitAfter(failures, kind) === 0 ? 0 : row.until_at
  await trx.updateTable('sign_in_failures').set({ failures, until_at: until }).where('subject', '=', subject).execute()
}

/**
 * Counts and executes an attempt. If it cannot be executed now, the count is reverted. @throws HeadgateError of either.
 */
export async function attempted<Result>(
  parts: Parts,
  attempt: SignInAttempt,
  make: () => Promise<Result>,
): Promise<Result> {
  await countAttempt(parts, attempt)
  try {
    return await make()
  } catch (error) {
    await inTransaction(parts, (trx) => takeBack(trx, parts.keys, attempt))
    throw error
  }
}

/**
 * Keyed hashes of the subjects, sorted to prevent deadlocks. Plain values are not stored, because people type passwords
 * into the address field.
 */
function subjectsOf(
  keys: SubKeys,
  { email, address, device, asking }: SignInAttempt,
): (readonly [code: string, kind: FailureSubject])[] {
  if (device !== undefined) return [[keys.sign(['device', device], 0), 'device']]
  const subjects: (readonly [string, FailureSubject])[] = [
    ...(email === undefined ? [] : [[keys.sign(['account', email], 0), 'email'] as const]),
    ...(address === undefined ? [] : [[keys.sign(['address', networkOf(address)], 0), 'address'] as const]),
    ...(asking === undefined ? [] : [[keys.sign(['asking', networkOf(asking)], 0), 'asking'] as const]),
  ]
  return subjects.sort(([one], [other]) => (one < other ? -1 : 1))
}
