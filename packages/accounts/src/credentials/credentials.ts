import {
  listCredentials as allCredentials,
  type NewCredential,
  removeCredentialWithin,
  type SealedCredential,
  setCredentialWithin,
} from '@headgate/store/sql'
import { type AuditFacts, note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, checkStrong, personBehind } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'

/** Stored credential without its encrypted values. */
export type StoredCredentialFacts = Omit<SealedCredential, 'sealed'>

/** Facts about the stored credentials of providers, which belong to the whole gateway. */
export async function listCredentials(
  { connection }: Parts,
  caller: Caller,
): Promise<readonly StoredCredentialFacts[]> {
  await allow(connection.db, caller, FIRST_ORGANIZATION, 'providers.write')
  return (await allCredentials(connection)).map(({ sealed: _, ...facts }) => facts)
}

/** Tested credential to store, and the version that it replaces; undefined = any. */
export interface CredentialSet extends Omit<NewCredential, 'createdBy'> {
  readonly follows?: number | undefined
}

/**
 * Stores a tested credential in place of the earlier one of its provider.
 * @throws HeadgateError `forbidden` unless the caller is an owner who has just confirmed their identity, `conflict` (412)
 */
export function setCredential(
  parts: Parts,
  caller: Caller,
  { follows, ...given }: CredentialSet,
): Promise<StoredCredentialFacts> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, FIRST_ORGANIZATION, 'credentials.write')
    checkStrong(caller, now)
    const created = { ...given, createdBy: personBehind(caller) }
    const { before, after } = await setCredentialWithin(parts.connection, trx, created, { now, follows })
    const act = { action: 'credential.set', target: after.provider, organization: FIRST_ORGANIZATION }
    await note(trx, caller, { ...act, before: before && factsOf(before), after: factsOf(after) }, now)
    const { sealed: _, ...facts } = after
    return facts
  })
}

/**
 * Deletes the stored credential of a provider.
 * @throws HeadgateError `forbidden` unless the caller is an owner who has just confirmed their identity, `not-found`,
 * `conflict` (412)
 */
export function removeCredential(
  parts: Parts,
  caller: Caller,
  provider: string,
  follows: number | undefined,
): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, FIRST_ORGANIZATION, 'credentials.write')
    checkStrong(caller, now)
    const before = await removeCredentialWithin(parts.connection, trx, provider, follows)
    if (!before) throw missing('credential')
    const act = { action: 'credential.remove', target: provider, organization: FIRST_ORGANIZATION }
    await note(trx, caller, { ...act, before: factsOf(before) }, now)
  })
}

/** Facts for the audit log: never a value, not even an encrypted one. */
function factsOf({ adapter, fields, baseUrl, hosts }: SealedCredential): AuditFacts {
  return { adapter, fields, hosts, ...(baseUrl !== undefined && { baseUrl }) }
}
