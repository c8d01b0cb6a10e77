import { HeadgateError } from '@headgate/gateway/ports'
import { removeBudgetsWithin, revokeKeyWithin } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { noteKeysChanged } from '../keys/changed.ts'
import { checkOtherOwner, findMember } from '../organizations/members.ts'
import { lockOrganization } from '../organizations/organizations.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, checkStrong } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'

/**
 * Deletes the account of a member, permanently: name, mail address, sign-in methods and sessions. Their keys are revoked.
 * Usage keeps their id, and the audit log its
 * entries until they expire. Sensitive, for owners.
 * @throws HeadgateError `conflict` for the last owner, and for members of other organizations
 */
export function deletePerson(parts: Parts, caller: Caller, organization: string, person: string): Promise<void> {
  const { connection } = parts
  return inTransaction(parts, async (trx, now) => {
    await lockOrganization(trx, organization)
    await allow(trx, caller, organization, 'people.delete')
    checkStrong(caller, now)
    const member = await findMember(trx, organization, person)
    const id = member.person
    if (member.role === 'owner') await checkOtherOwner(trx, member)
    const others = trx.selectFrom('memberships').select('organization').where('person', '=', id)
    if (await others.where('organization', '!=', member.organization).limit(1).executeTakeFirst())
      throw new HeadgateError(
        'conflict',
        'This person is a member of another organization too. Remove them from this one instead.',
      )
    const keys = trx.selectFrom('keys').select('id').where('created_by', '=', id).where('service', 'is', null)
    for (const key of await keys.where('revoked_at', 'is', null).execute())
      await revokeKeyWithin(connection, trx, key.id, { now })
    const budgets = trx.selectFrom('budgets').select('id').where('scope', '=', 'member').where('owner', '=', id)
    const own = (await budgets.execute()).map((budget) => budget.id)
    await removeBudgetsWithin(connection, trx, own, now)
    for (const table of ['sessions', 'passkeys', 'identities', 'links', 'playground_keys', 'memberships'] as const)
      await trx.deleteFrom(table).where('person', '=', id).execute()
    await trx.deleteFrom('saved_views').where('owner', '=', id).execute()
    await trx.deleteFrom('people').where('id', '=', id).execute()
    await noteKeysChanged(trx)
    await note(trx, caller, { action: 'person.remove', target: id, organization: member.organization }, now)
  })
}
