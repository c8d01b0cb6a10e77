import { HeadgateError, type RateLimit } from '@headgate/gateway/ports'
import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'
import { recordChange } from './changes.ts'
import { checkService, instant, nameText, type RightsChange, rightColumns } from './fields.ts'
import { addSecret, type IssuedKey, issuedKey, type KeyTime, keyById, secretsOf } from './keys.ts'
import { limitColumns } from './limits.ts'
import { writePrincipals } from './principals.ts'
import type { StoredKey } from './stored.ts'

/** Change of a key: undefined keeps a field, null removes it. */
export interface KeyChange extends RightsChange {
  readonly name?: string | null | undefined
  readonly expiresAt?: number | null | undefined
  /** End of recording traces of its requests, Unix milliseconds. */
  readonly tracedUntil?: number | null | undefined
  /** All rate limits: omitted ones are removed. */
  readonly limits?: RateLimit | null | undefined
}

/** Expected version of the key; other versions are not changed. */
export interface KeyVersion {
  readonly version?: number | undefined
}

export interface Rotation extends KeyVersion {
  /** Time that the previous secret still works, in milliseconds, at most a year; 0 = it ends now. */
  readonly overlapMs: number
  /** New expiry of the key; null = never; undefined = unchanged. */
  readonly expiresAt?: number | null | undefined
}

const YEAR = 366 * 86_400_000
/** Maximum number of active secrets of a key. */
const SECRETS = 10

/**
 * Changes a key. Resolves with undefined for an unknown id.
 * @throws HeadgateError `conflict`: 412 for another version, 409 for a revoked key; `invalid-request` for an invalid
 * field
 */
export function changeKey(
  connection: StoreConnection,
  id: string,
  change: KeyChange,
  version: KeyVersion = {},
): Promise<StoredKey | undefined> {
  return transact(connection, (trx) => changeKeyWithin(connection, trx, id, { ...change, ...version }))
}

/** Changes a key within a transaction. */
export async function changeKeyWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
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
    ...rightColumns(rights),
  }
  const before = await lockKey(trx, id, version)
  if (!before) return undefined
  if (before.service !== null) checkService(rights)
  if (Object.keys(changed).length > 0) await trx.updateTable('keys').set(changed).where('id', '=', before.id).execute()
  if (changed.name !== undefined)
    await writePrincipals(trx, [{ ...before, member: before.created_by, name: changed.name }])
  await recordChange(connection, trx, 'keys')
  return keyById({ db: trx }, before.id)
}

/**
 * Creates another secret for a key. Resolves with undefined for an unknown id.
 * @throws HeadgateError as `changeKey` does
 */
export function rotateKey(
  connection: StoreConnection,
  id: string,
  rotation: Rotation,
  now = Date.now(),
): Promise<IssuedKey | undefined> {
  return transact(connection, (trx) => rotateKeyWithin(connection, trx, id, rotation, { now }))
}

/** Rotates a key within a transaction. */
export async function rotateKeyWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  id: string,
  { overlapMs, expiresAt, version }: Rotation,
  { now = Date.now() }: KeyTime = {},
): Promise<IssuedKey | undefined> {
  if (!Number.isSafeInteger(overlapMs) || overlapMs < 0 || overlapMs > YEAR)
    throw new HeadgateError('invalid-request', `\`overlapMs\` must be from 0 to ${YEAR} milliseconds.`, {
      param: 'overlapMs',
    })
  const changed = expiry(expiresAt)
  const before = await lockKey(trx, id, version)
  if (!before) return undefined
  const row = { ...before, ...changed }
  if (row.expires_at !== null && row.expires_at <= now)
    throw new HeadgateError('conflict', 'The key has expired. Rotate it with another `expiresAt`.', {
      param: 'expiresAt',
    })
  // Secrets that have ended stay ended.
  const end = Math.min(now + overlapMs, Number(before.expires_at ?? Number.POSITIVE_INFINITY))
  const secrets = trx.updateTable('key_secrets').set({ expires_at: end }).where('key_id', '=', row.id)
  await secrets.where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', BigInt(end))])).execute()
  await trx.deleteFrom('key_secrets').where('key_id', '=', row.id).where('expires_at', '<=', BigInt(now)).execute()
  if ((await secretsOf({ db: trx }, row.id)).length >= SECRETS)
    throw new HeadgateError(
      'conflict',
      `The key has ${SECRETS} active secrets, which is the maximum. Rotate it without an overlap, or wait until one expires.`,
    )
  if ('expires_at' in changed) await trx.updateTable('keys').set(changed).where('id', '=', row.id).execute()
  const { key } = await addSecret(connection, trx, row, now)
  await recordChange(connection, trx, 'keys')
  return { key, stored: await issuedKey(trx, row.id, now) }
}

/**
 * Assigns a key to another user, whose rights limit it, within a transaction. Resolves with undefined for an unknown
 * id.
 */
export async function reassignKeyWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  id: string,
  { createdBy, version, now = Date.now() }: KeyTime & KeyVersion & { readonly createdBy: string },
): Promise<StoredKey | undefined> {
  const before = await lockKey(trx, id, version)
  if (!before) return undefined
  const creator = storable(createdBy)
  await trx.updateTable('keys').set({ created_by: creator }).where('id', '=', before.id).execute()
  await writePrincipals(trx, [{ ...before, member: creator }])
  await recordChange(connection, trx, 'keys')
  return keyById({ db: trx }, before.id, now)
}

/**
 * Revokes the key with this id, or else with this name. Resolves with undefined if no key or more than one has the
 * name. Repeating it changes nothing.
 */
export function revokeKey(
  connection: StoreConnection,
  idOrName: string,
  now = Date.now(),
): Promise<StoredKey | undefined> {
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

/** Revokes a key with all its secrets, within a transaction. Resolves with undefined for an unknown id. */
export async function revokeKeyWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  id: string,
  { now = Date.now() }: KeyTime = {},
): Promise<StoredKey | undefined> {
  const { numUpdatedRows } = await trx
    .updateTable('keys')
    .set((row) => ({ revoked_at: now, version: row('version', '+', 1n) }))
    .where('id', '=', storable(id))
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await recordChange(connection, trx, 'keys')
  return keyById({ db: trx }, id, now)
}

/** Locks a key for this transaction and increments its version. @param version expected version before the increment */
async function lockKey(
  trx: WriteTransaction,
  id: string,
  version: number | undefined,
): Promise<TableRow<'keys'> | undefined> {
  const row = await trx
    .updateTable('keys')
    .set((row) => ({ version: row('version', '+', 1n) }))
    .where('id', '=', storable(id))
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  if (row.revoked_at !== null) throw new HeadgateError('conflict', 'The key is revoked. Create another one.')
  if (version === undefined || Number(row.version) === version + 1) return row
  throw new HeadgateError('conflict', 'The key has changed since it was read. Read it again.', { status: 412 })
}

function expiry(expiresAt: number | null | undefined): { expires_at?: bigint | null } {
  if (expiresAt === undefined) return {}
  return { expires_at: expiresAt === null ? null : BigInt(instant('expiresAt', expiresAt)) }
}
