import { HeadgateError } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import { recordChange } from '../keys/changes.ts'
import type { TableRow } from '../schema/tables.ts'

/** Credential of a provider as stored. Its values are encrypted. */
export interface SealedCredential {
  /** Name of the provider instance. */
  readonly provider: string
  /** Id of the adapter that the credential was tested with. */
  readonly adapter: string
  /** Values by field, encrypted for exactly this provider, adapter, base URL and hosts. */
  readonly sealed: string
  /** Names of the encrypted fields. */
  readonly fields: readonly string[]
  /** Base URL that was entered; absent = the adapter's or the configuration's. */
  readonly baseUrl?: string | undefined
  /** Hosts that the credential may be sent to, sorted: `https://api.example.com`, `*.example.com`. */
  readonly hosts: readonly string[]
  /** Id of the person who entered it. */
  readonly createdBy?: string | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Number that increases with each change. */
  readonly version: number
}

/** Credential to store. */
export type NewCredential = Omit<SealedCredential, 'createdAt' | 'version'>

/** All stored credentials by the name of their provider. */
export async function listCredentials({ db }: Pick<StoreConnection, 'db'>): Promise<readonly SealedCredential[]> {
  return (await db.selectFrom('provider_credentials').selectAll().orderBy('provider').execute()).map(credentialOf)
}

/**
 * Stores the credential of a provider in place of its earlier one, within a transaction. All processes use it within a
 * second. Resolves with the earlier and the new one.
 * @param follows version of the credential to replace, 0 = a first one; undefined replaces any
 * @throws HeadgateError `conflict` (412) if the current version is another one
 */
export async function setCredentialWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  given: NewCredential,
  { now, follows }: { readonly now: number; readonly follows?: number | undefined },
): Promise<{ readonly before: SealedCredential | undefined; readonly after: SealedCredential }> {
  // Locks out other writers of credentials.
  await recordChange(connection, trx, 'credentials')
  const before = await credentialIn(trx, given.provider)
  checkVersion(before, follows)
  const after: SealedCredential = { ...given, createdAt: now, version: (before?.version ?? 0) + 1 }
  const { provider, adapter, sealed, fields, baseUrl, hosts, createdBy, version } = after
  const values = {
    adapter,
    sealed,
    fields: JSON.stringify(fields),
    base_url: baseUrl ?? null,
    hosts: JSON.stringify(hosts),
    created_by: createdBy ?? null,
    created_at: BigInt(now),
    version: BigInt(version),
  }
  await trx
    .insertInto('provider_credentials')
    .values({ provider: storable(provider), ...values })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet(values))
    .execute()
  return { before, after }
}

/**
 * Deletes the credential of a provider, within a transaction. Resolves with the deleted one; undefined without one.
 * @throws HeadgateError `conflict` (412) if the current version is not `follows`
 */
export async function removeCredentialWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
  provider: string,
  follows: number | undefined,
): Promise<SealedCredential | undefined> {
  await recordChange(connection, trx, 'credentials')
  const before = await credentialIn(trx, provider)
  checkVersion(before, follows)
  await trx.deleteFrom('provider_credentials').where('provider', '=', storable(provider)).execute()
  return before
}

async function credentialIn(trx: WriteTransaction, provider: string): Promise<SealedCredential | undefined> {
  const stored = trx.selectFrom('provider_credentials').selectAll().where('provider', '=', storable(provider))
  const row = await stored.executeTakeFirst()
  return row && credentialOf(row)
}

function checkVersion(before: SealedCredential | undefined, follows: number | undefined): void {
  if (follows === undefined || follows === (before?.version ?? 0)) return
  throw new HeadgateError('conflict', 'The credential has changed since it was read. Read it again.', { status: 412 })
}

function credentialOf(row: TableRow<'provider_credentials'>): SealedCredential {
  const { provider, adapter, sealed, fields, base_url, hosts, created_by, created_at, version } = row
  return {
    provider,
    adapter,
    sealed,
    fields: JSON.parse(fields),
    hosts: JSON.parse(hosts),
    createdAt: Number(created_at),
    version: Number(version),
    ...(base_url !== null && { baseUrl: base_url }),
    ...(created_by !== null && { createdBy: created_by }),
  }
}
