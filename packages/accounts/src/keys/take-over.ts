import { HeadgateError } from '@headgate/gateway/ports'
import { reassignKeyWithin, type StoredKey } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { idOf, missing } from '../database/input.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, checkStrong, personOf } from '../roles/caller.ts'
import { isRole, may } from '../roles/roles.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { seenKey } from './owned.ts'

export interface TakeOver {
  /** Id of the new creator. Required for the operator; other callers become the creator themselves. */
  readonly person?: string | undefined
  /** Expected version. Any other version is a conflict. */
  readonly version?: number | undefined
}

/**
 * Assigns a new creator to a key that stopped because its creator left the organization, is disabled or is a viewer.
 * Its secret works again. Sensitive; owners only. @throws HeadgateError `conflict` for any other key.
 */
export function takeOverKey(
  parts: Parts,
  caller: Caller,
  organization: string,
  key: string,
  given: TakeOver = {},
): Promise<StoredKey> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'keys.takeOver')
    checkStrong(caller, now)
    const createdBy = caller.kind === 'system' ? await newCreator(trx, organization, given.person) : personOf(caller).id
    const before = await seenKey(trx, key, { caller, organization, reach: 'all' })
    if (before.creator === undefined || before.creator === 'active')
      throw new HeadgateError(
        'conflict',
        'Only a key whose creator has left, is disabled or is a viewer can be taken over.',
      )
    await checkNoPlayground(trx, before.id)
    const after = await reassignKeyWithin(parts.connection, trx, before.id, { createdBy, version: given.version, now })
    if (!after) throw missing('key')
    const act = {
      action: 'key.take-over',
      target: before.id,
      organization,
      before: { createdBy: before.createdBy ?? null },
      after: { createdBy },
    }
    await note(trx, caller, act, now)
    return after
  })
}

/** Person named by the operator. @throws HeadgateError `invalid-request`, `not-found`, `conflict`. */
async function newCreator(trx: AccountsTransaction, organization: string, person: string | undefined): Promise<string> {
  if (person === undefined)
    throw new HeadgateError('invalid-request', 'Name the person to take over the key.', { param: 'person' })
  const row = await trx
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person')
    .select(['memberships.person', 'memberships.role', 'people.disabled_at'])
    .where('memberships.organization', '=', idOf(organization))
    .where('memberships.person', '=', idOf(person))
    .executeTakeFirst()
  if (!row) throw missing('member')
  if (row.disabled_at === null && isRole(row.role) && may(row.role, 'keys.write')) return row.person
  throw new HeadgateError('conflict', 'This person is disabled or a viewer, and cannot have keys.', { param: 'person' })
}

/** Checks that the key is not a person's playground key. */
async function checkNoPlayground(trx: AccountsTransaction, key: string): Promise<void> {
  const row = await trx.selectFrom('playground_keys').select('person').where('key_id', '=', key).executeTakeFirst()
  if (row) throw new HeadgateError('conflict', 'This is the playground key of a person. Revoke it instead.')
}
