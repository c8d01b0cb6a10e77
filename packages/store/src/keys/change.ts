import { HeadgateError, type RateLimit } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type Writing } from '../database/transaction.ts'
import type { Row } from '../schema/tables.ts'
import { noteChange } from './changes.ts'
import { checkService, instant, listColumns, nameText, type RightsChange } from './fields.ts'
import { addSecret, type KeyTime, keyById, type MadeKey, madeKey, secretsOf } from './keys.ts'
import { limitColumns } from './limits.ts'
import { writePrincipals } from './principals.ts'
import type { StoredKey } from './stored.ts'

/** What becomes of a key: what is undefined stays, null is as if it had never been said. */
export interface KeyChange extends RightsChange {
  readonly name?: string | null | undefined
  readonly expiresAt?: number | null | undefined
  /** Until when it is kept what goes over the wire for its requests. */
  readonly tracedUntil?: number | null | undefined
  /** All of them: what is not named is not bounded. */
  readonly limits?: RateLimit | null | undefined
}

/** The change is made to this version of the key only. */
export interface KeyVersion {
  readonly version?: number | undefined
}

export interface Rotation extends KeyVersion {
  /** How long what the key was known by goes on, in milliseconds, at most a year; 0 = it ends now. */
  readonly overlapMs: number
  /** When the key expires from now on; null = never; undefined = as before. */
  readonly expiresAt?: number | null | undefined
}

const YEAR = 366 * 86_400_000
/** Most secrets of a key that work at a time. */
const SECRETS = 10

/**
 * Changes what a key may do; undefined where there is none of that id. @throws HeadgateError `conflict`, 412 for
 * another version, 409 for a key that is revoked; `invalid-request` for a field that is none.
 */
export function changeKey(
  connection: Connection,
  id: string,
  change: KeyChange,
  version: KeyVersion = {},
): Promise<StoredKey | undefined> {
  return transact(connection, (trx) => changeKeyWithin(connection, trx, id, { ...change, ...version }))
}

/** The same within a transaction. */
export async function changeKeyWithin(
  connection: Connection,
  trx: Writing,
  id: string,
  { name, expiresAt, limits, tracedUntil, version, ...rights }: KeyChange & KeyVersion,
): Promise<StoredKey | undefined> {
  const changed = {
    ...(name !== undefined && { name: name === null ? null : nameText(name) }),
    ...expiry(expiresAt),
    ...(tracedUntil !== undefined && {
      traced_until: tracedUntil === null ? null : BigInt(instant('tracedUntil', tracedUntil)),
    }),
    ...(limits !== undefined && limitColumns(limits ?? {})),
    ...listColumns(rights),
  }
  const before = await take(trx, id, version)
  if (!before) return undefined
  if (before.service !== null) checkService(rights)
  if (Object.keys(changed).length > 0) await trx.updateTable('keys').set(changed).where('id', '=', before.id).execute()
  if (changed.name !== undefined)
    await writePrincipals(trx, [{ ...before, member: before.created_by, name: changed.name }])
  await noteChange(connection, trx, 'keys')
  return keyById({ db: trx }, before.id)
}

/** Gives a key another secret; undefined where there is none of that id. @throws HeadgateError as `changeKey` does. */
export function rotateKey(
  connection: Connection,
  id: string,
  rotation: Rotation,
  now = Date.now(),
): Promise<MadeKey | undefined> {
  return transact(connection, (trx) => rotateKeyWithin(connection, trx, id, rotation, { now }))
}

/** The same within a transaction. */
export async function rotateKeyWithin(
  connection: Connection,
  trx: Writing,
  id: string,
  { overlapMs, expiresAt, version }: Rotation,
  { now = Date.now() }: KeyTime = {},
): Promise<MadeKey | undefined> {
  if (!Number.isSafeInteger(overlapMs) || overlapMs < 0 || overlapMs > YEAR)
    throw new HeadgateError('invalid-request', `An overlap has from 0 to ${YEAR} milliseconds.`, { param: 'overlapMs' })
  const changed = expiry(expiresAt)
  const before = await take(trx, id, version)
  if (!before) return undefined
  const row = { ...before, ...changed }
  if (row.expires_at !== null && row.expires_at <= now)
    throw new HeadgateError('conflict', 'The key has expired. Rotate it with another `expiresAt`.', {
      param: 'expiresAt',
    })
  // Of a key that has ended nothing begins again.
  const end = Math.min(now + overlapMs, Number(before.expires_at ?? Number.POSITIVE_INFINITY))
  const secrets = trx.updateTable('key_secrets').set({ expires_at: end }).where('key_id', '=', row.id)
  await secrets.where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', BigInt(end))])).execute()
  await trx.deleteFrom('key_secrets').where('key_id', '=', row.id).where('expires_at', '<=', BigInt(now)).execute()
  if ((await secretsOf({ db: trx }, row.id)).length >= SECRETS)
    throw new HeadgateError(
      'conflict',
      `The key has ${SECRETS} secrets that work still. Rotate it without an overlap, or wait.`,
    )
  if ('expires_at' in changed) await trx.updateTable('keys').set(changed).where('id', '=', row.id).execute()
  const { key } = await addSecret(connection, trx, row, now)
  await noteChange(connection, trx, 'keys')
  return { key, stored: await madeKey(trx, row.id, now) }
}

/**
 * Gives a key another creator, within a transaction: it has the rights of this person at most. Undefined where there is
 * none of that id.
 */
export async function takeOverKeyWithin(
  connection: Connection,
  trx: Writing,
  id: string,
  { createdBy, version, now = Date.now() }: KeyTime & KeyVersion & { readonly createdBy: string },
): Promise<StoredKey | undefined> {
  const before = await take(trx, id, version)
  if (!before) return undefined
  const creator = storable(createdBy)
  await trx.updateTable('keys').set({ created_by: creator }).where('id', '=', before.id).execute()
  await writePrincipals(trx, [{ ...before, member: creator }])
  await noteChange(connection, trx, 'keys')
  return keyById({ db: trx }, before.id, now)
}

/**
 * Revokes the key that has this id, or else this name; undefined when there is none or more than one. Revoking twice
 * changes nothing.
 */
export function revokeKey(connection: Connection, idOrName: string, now = Date.now()): Promise<StoredKey | undefined> {
  return transact(connection, async (trx) => {
    const wanted = storable(idOrName)
    const rows = await trx
      .selectFrom('keys')
      .select('id')
      .where((is) => is.or([is('id', '=', wanted), is('name', '=', wanted)]))
      .orderBy(sql`CASE WHEN id = ${wanted} THEN 0 ELSE 1 END`)
      .limit(2)
      .execute()
    const [row, another] = rows
    if (!row || (row.id !== wanted && another)) return undefined
    return revokeKeyWithin(connection, trx, row.id, { now })
  })
}

/**
 * Revokes the key that has this id, with all that it is known by, within a transaction; undefined where there is none.
 */
export async function revokeKeyWithin(
  connection: Connection,
  trx: Writing,
  id: string,
  { now = Date.now() }: KeyTime = {},
): Promise<StoredKey | undefined> {
  const { numUpdatedRows } = await trx
    .updateTable('keys')
    .set((row) => ({ revoked_at: now, version: row('version', '+', 1n) }))
    .where('id', '=', storable(id))
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await noteChange(connection, trx, 'keys')
  return keyById({ db: trx }, id, now)
}

/** Holds a key for this transaction, as it becomes: others wait, and a version that is asked for is the one before. */
async function take(trx: Writing, id: string, version: number | undefined): Promise<Row<'keys'> | undefined> {
  const row = await trx
    .updateTable('keys')
    .set((row) => ({ version: row('version', '+', 1n) }))
    .where('id', '=', storable(id))
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  if (row.revoked_at !== null) throw new HeadgateError('conflict', 'The key is revoked. Make another one.')
  if (version === undefined || Number(row.version) === version + 1) return row
  throw new HeadgateError('conflict', 'The key has been changed since you read it. Read it again.', { status: 412 })
}

function expiry(expiresAt: number | null | undefined): { expires_at?: bigint | null } {
  if (expiresAt === undefined) return {}
  return { expires_at: expiresAt === null ? null : BigInt(instant('expiresAt', expiresAt)) }
}
