import { timingSafeEqual } from 'node:crypto'
import { everyRight, type KeyRights, type RateLimit } from '@headgate/gateway/ports'
import { budgetOf, type KeyBudget, writeBudgets } from '../budgets/defined.ts'
import { insertRows } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'
import { createApiKey, displayPrefix, hashApiKey, randomText } from './api-key.ts'
import { recordChange } from './changes.ts'
import { isLimited, keysWithCreators } from './creators.ts'
import { checkService, environmentText, instant, nameText, rightColumns } from './fields.ts'
import { limitColumns, storedLimits } from './limits.ts'
import { DEFAULT_ENVIRONMENT, DEFAULT_ORGANIZATION, DEFAULT_PROJECT } from './owners.ts'
import { writePrincipals } from './principals.ts'
import { factsOf, type KeyFacts, type StoredKey, storedKey } from './stored.ts'

export interface NewKey extends KeyRights {
  readonly name?: string | undefined
  /** Id of its project, which cannot change; default `prj_default`. */
  readonly project?: string | undefined
  /** Name of its environment, which cannot change: lower-case letters, digits and dashes; default `production`. */
  readonly environment?: string | undefined
  /** Id of the user whose rights limit the key; default: no creator, so that the key has the given rights. */
  readonly createdBy?: string | undefined
  /** True if it belongs to its project instead of a user. It has no `createdBy` and no scope `admin`. */
  readonly service?: boolean | undefined
  readonly expiresAt?: number | undefined
  /** End of recording traces of its requests, Unix milliseconds. */
  readonly tracedUntil?: number | undefined
  /** Rate limits, each a whole number from 1 to 2^31. */
  readonly limits?: RateLimit | undefined
  /** Budgets of the key. All of them apply. */
  readonly budgets?: readonly KeyBudget[] | undefined
}

/** Created key with its secret, which is not shown again. */
export interface IssuedKey {
  readonly key: string
  readonly stored: StoredKey
}

/** Filters of a list of keys; default: all keys. */
export interface KeyQuery {
  readonly project?: string | undefined
  readonly createdBy?: string | undefined
}

/** Key as found by its secret. */
export interface KeyMatch {
  readonly facts: KeyFacts
  /** Id of the organization of its project. */
  readonly organization: string
  /** Expiry of the secret or the key; absent = never. */
  readonly endsAt?: number
  /** Current role of its creator in the organization. */
  readonly role?: string
  /** Rate limits of its creator, over all of the creator's keys. */
  readonly memberLimits?: RateLimit
  /** Set if the keys of its project share stored responses. */
  readonly sharesResponses?: true
}

/** Current time, and time zone of budgets without one. */
export interface KeyTime {
  readonly now?: number
  readonly zone?: string
}

type KeyReader = Pick<StoreConnection, 'db'>

const NO_RIGHTS = { ...everyRight(() => null), class: null, weight: null, tracing: null }

/** Creates a key with its budgets. Only this call returns the key itself. @throws HeadgateError for an invalid field */
export function createKey(
  connection: StoreConnection,
  key: NewKey,
  now = Date.now(),
  zone = 'UTC',
): Promise<IssuedKey> {
  return transact(connection, (trx) => createKeyWithin(connection, trx, key, { now, zone }))
}

/** Creates a key within a transaction. */
export async function createKeyWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  given: NewKey,
  time: KeyTime = {},
): Promise<IssuedKey> {
  const { now = Date.now(), zone = 'UTC' } = time
  const {
    name,
    project = DEFAULT_PROJECT,
    environment = DEFAULT_ENVIRONMENT,
    createdBy,
    service = false,
    expiresAt,
    limits,
    tracedUntil,
    budgets = [],
  } = given
  if (service) checkService(given)
  const row: TableRow<'keys'> = {
    id: `key_${randomText(10)}`,
    project: storable(project),
    environment: environmentText(environment),
    created_by: createdBy === undefined ? null : storable(createdBy),
    name: name === undefined ? null : nameText(name),
    ...NO_RIGHTS,
    ...rightColumns(given),
    created_at: BigInt(now),
    expires_at: expiresAt === undefined ? null : BigInt(instant('expiresAt', expiresAt)),
    revoked_at: null,
    ...limitColumns(limits),
    last_used_at: null,
    version: 1n,
    traced_until: tracedUntil === undefined ? null : BigInt(instant('tracedUntil', tracedUntil)),
    service: service ? 1n : null,
  }
  const own = budgets.map((budget) => budgetOf({ ...budget, scope: 'key', owner: row.id }, zone))
  await trx.insertInto('keys').values(row).execute()
  const { key } = await addSecret(connection, trx, row, now)
  await writePrincipals(trx, [
    { id: row.id, project: row.project, environment, member: row.created_by, name: row.name },
  ])
  await writeBudgets(connection, trx, own, { now })
  await recordChange(connection, trx, 'keys')
  return { key, stored: await issuedKey(trx, row.id, now) }
}

/** Adds a secret to a key. It expires with the key. */
export async function addSecret(
  connection: StoreConnection,
  trx: WriteTransaction,
  { id, environment }: Pick<TableRow<'keys'>, 'id' | 'environment'>,
  now: number,
): Promise<{ readonly key: string; readonly secret: TableRow<'key_secrets'> }> {
  const key = createApiKey(environment)
  const secret = {
    hash: hashBytes(hashApiKey(key)),
    key_id: id,
    prefix: displayPrefix(key),
    created_at: BigInt(now),
    expires_at: null,
  }
  const { hash, key_id, prefix, created_at, expires_at } = secret
  await insertRows(connection, trx, 'key_secrets', [[hash, key_id, prefix, created_at, expires_at]])
  return { key, secret }
}

/** Keys in order of creation, including revoked ones. */
export async function listKeys(
  { db }: KeyReader,
  { project, createdBy }: KeyQuery = {},
  now = Date.now(),
): Promise<StoredKey[]> {
  let [keys, secrets] = [keysWithCreators(db), db.selectFrom('key_secrets').selectAll('key_secrets')]
  const isSome = project !== undefined || createdBy !== undefined
  if (project !== undefined) keys = keys.where('keys.project', '=', storable(project))
  if (createdBy !== undefined) keys = keys.where('keys.created_by', '=', storable(createdBy))
  if (isSome) secrets = secrets.where('key_id', 'in', keys.clearSelect().select('keys.id'))
  const rows = await keys.orderBy('keys.created_at').orderBy('keys.id').execute()
  const secretsOf = Map.groupBy(await secrets.execute(), ({ key_id }) => key_id)
  return rows.map((row) => storedKey(row, secretsOf.get(row.id) ?? [], now))
}

/** Key with this id, also if it is revoked or expired. */
export async function keyById({ db }: KeyReader, id: string, now = Date.now()): Promise<StoredKey | undefined> {
  const row = await keysWithCreators(db).where('keys.id', '=', storable(id)).executeTakeFirst()
  return row && storedKey(row, await secretsOf({ db }, row.id), now)
}

/** Key that must exist. */
export async function issuedKey(trx: WriteTransaction, id: string, now: number): Promise<StoredKey> {
  const stored = await keyById({ db: trx }, id, now)
  if (stored) return stored
  throw new TypeError(`The key ${id} is gone within its own transaction.`)
}

export function secretsOf({ db }: KeyReader, key: string): Promise<TableRow<'key_secrets'>[]> {
  return db.selectFrom('key_secrets').selectAll().where('key_id', '=', key).execute()
}

/** Key with a secret of this hash, also if it is revoked or expired. */
export async function keyByHash({ db }: KeyReader, hash: string): Promise<KeyMatch | undefined> {
  const bytes = hashBytes(hash)
  const row = await keysWithCreators(db)
    .innerJoin('key_secrets', 'key_secrets.key_id', 'keys.id')
    .leftJoin('organizations', 'organizations.id', 'memberships.organization')
    .select([
      'key_secrets.hash',
      'key_secrets.expires_at as secret_ends_at',
      'projects.organization',
      'projects.shares_responses',
    ])
    .select([
      'organizations.requests_per_minute as member_requests',
      'organizations.tokens_per_minute as member_tokens',
      'organizations.concurrent as member_concurrent',
    ])
    .where('key_secrets.hash', '=', bytes)
    .executeTakeFirst()
  if (!row || !timingSafeEqual(row.hash, bytes)) return undefined
  const facts = factsOf(row)
  const endsAt = Math.min(
    Number(row.secret_ends_at ?? Number.POSITIVE_INFINITY),
    facts.expiresAt ?? Number.POSITIVE_INFINITY,
  )
  const memberLimits = storedLimits({
    requests_per_minute: row.member_requests,
    tokens_per_minute: row.member_tokens,
    concurrent: row.member_concurrent,
  })
  return {
    facts,
    organization: row.organization ?? DEFAULT_ORGANIZATION,
    ...(Number.isFinite(endsAt) && { endsAt }),
    ...(row.creator_role !== null && { role: row.creator_role }),
    ...(memberLimits && isLimited(row.creator_role) && { memberLimits }),
    ...(row.shares_responses !== null && { sharesResponses: true }),
  }
}

/** Hash as stored. */
function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex')
}
