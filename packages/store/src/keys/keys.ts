import { timingSafeEqual } from 'node:crypto'
import type { RateLimit } from '@headgate/core/store'
import { type Selectable, sql } from 'kysely'
import { budgetOf, type KeyBudget, writeBudgets } from '../budgets/defined.ts'
import { insertRows } from '../database/bulk.ts'
import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { KeyTable } from '../database/tables.ts'
import { transact } from '../database/transaction.ts'
import { createApiKey, displayPrefix, hashApiKey, randomText } from './api-key.ts'
import { noteChange } from './changes.ts'
import { limitColumns, storedLimits } from './limits.ts'

/** A stored key, without the key. Times are Unix milliseconds. */
export interface StoredKey {
  readonly id: string
  /** Its first characters. */
  readonly prefix: string
  readonly name?: string
  /** The only models it may call. Absent = all; none where `search` or `scopes` say what it may do. */
  readonly models?: readonly string[]
  /** The only search engines and backends it may use. Absent = all; none where `models` or `scopes` say what it may do. */
  readonly search?: readonly string[]
  /** What else it may do. */
  readonly scopes?: readonly string[]
  /** How much it may ask. */
  readonly limits?: RateLimit
  readonly createdAt: number
  readonly expiresAt?: number
  readonly revokedAt?: number
}

export interface NewKey {
  readonly name?: string | undefined
  readonly models?: readonly string[] | undefined
  readonly search?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expiresAt?: number | undefined
  /** How much it may ask: each a whole number from 1 to 2^31. */
  readonly limits?: RateLimit | undefined
  /** What it may spend: all of them hold. */
  readonly budgets?: readonly KeyBudget[] | undefined
}

/** Makes a key, with its budgets. The key itself is known here and never again. @throws HeadgateError for a budget or limit that is none. */
export async function createKey(
  connection: Connection,
  { name, models, search, scopes, expiresAt, limits, budgets = [] }: NewKey,
  now = Date.now(),
  zone = 'UTC',
): Promise<{ readonly key: string; readonly stored: StoredKey }> {
  const key = createApiKey()
  const columns = limitColumns(limits)
  const ownLimits = storedLimits(columns)
  const stored: StoredKey = {
    id: `key_${randomText(10)}`,
    prefix: displayPrefix(key),
    createdAt: now,
    ...(name && { name: storable(name) }),
    ...(models && { models }),
    ...(search && { search }),
    ...(scopes && { scopes }),
    ...(ownLimits && { limits: ownLimits }),
    ...(expiresAt && { expiresAt }),
  }
  const texts = [stored.name ?? null, listText(models), listText(search), listText(scopes)]
  const most = [columns.requests_per_minute, columns.tokens_per_minute, columns.concurrent]
  const values = [stored.id, hashBytes(hashApiKey(key)), stored.prefix, ...texts, now, expiresAt ?? null, null, ...most]
  const own = budgets.map((budget) => budgetOf({ ...budget, scope: 'key', owner: stored.id }, zone))
  await transact(connection, async (trx) => {
    await insertRows(connection, trx, 'keys', [values])
    await writeBudgets(connection, trx, own, { now })
    await noteChange(connection, trx, 'keys')
  })
  return { key, stored }
}

/** In the order of their making, revoked ones included. */
export async function listKeys({ db }: Connection): Promise<StoredKey[]> {
  return (await db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute()).map(storedKey)
}

/** Revokes the key that has this id, or else this name; undefined when there is none or more than one. Revoking twice changes nothing. */
export function revokeKey(connection: Connection, idOrName: string, now = Date.now()): Promise<StoredKey | undefined> {
  return transact(connection, async (trx) => {
    const wanted = storable(idOrName)
    const rows = await trx
      .selectFrom('keys')
      .selectAll()
      .where((is) => is.or([is('id', '=', wanted), is('name', '=', wanted)]))
      .orderBy(sql`CASE WHEN id = ${wanted} THEN 0 ELSE 1 END`)
      .limit(2)
      .execute()
    const [row, another] = rows
    if (!row || (row.id !== wanted && another)) return undefined
    const stored = storedKey(row)
    if (stored.revokedAt !== undefined) return stored
    await trx.updateTable('keys').set({ revoked_at: now }).where('id', '=', stored.id).execute()
    await noteChange(connection, trx, 'keys')
    return { ...stored, revokedAt: now }
  })
}

/** The key that has this hash, revoked and expired ones included. */
export async function keyByHash({ db }: Connection, hash: string): Promise<StoredKey | undefined> {
  const bytes = hashBytes(hash)
  const row = await db.selectFrom('keys').selectAll().where('hash', '=', bytes).executeTakeFirst()
  return row && timingSafeEqual(row.hash, bytes) ? storedKey(row) : undefined
}

/** The key that has this id, revoked and expired ones included. */
export async function keyById({ db }: Connection, id: string): Promise<StoredKey | undefined> {
  const row = await db.selectFrom('keys').selectAll().where('id', '=', storable(id)).executeTakeFirst()
  return row && storedKey(row)
}

/** As the store has it. */
function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex')
}

function listText(names: readonly string[] | undefined): string | null {
  return names ? storable(JSON.stringify(names)) : null
}

function storedKey(row: Selectable<KeyTable>): StoredKey {
  const { id, prefix, name, models, search, scopes } = row
  const limits = storedLimits(row)
  return {
    id,
    prefix,
    createdAt: Number(row.created_at),
    ...(name !== null && { name }),
    ...(models !== null && { models: JSON.parse(models) }),
    ...(search !== null && { search: JSON.parse(search) }),
    ...(scopes !== null && { scopes: JSON.parse(scopes) }),
    ...(limits && { limits }),
    ...(row.expires_at !== null && { expiresAt: Number(row.expires_at) }),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
  }
}
