import { HeadgateError } from '@headgate/gateway/ports'
import { removeBudgetsWithin, revokeKeyWithin } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { noteKeysChanged } from '../keys/changed.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, checkStrong } from '../roles/caller.ts'
import { inTransaction } from '../transaction.ts'
import { lockOrganization } from './organizations.ts'

/**
 * Deletes an organization, permanently: its members lose access, and its keys, invitations and budgets end. Usage is
 * kept. Sensitive, for owners.
 * @throws HeadgateError `conflict` for the first organization, which manages the gateway
 */
export function deleteOrganization(parts: Parts, caller: Caller, organization: string): Promise<void> {
  const { connection } = parts
  return inTransaction(parts, async (trx, now) => {
    const { id } = await lockOrganization(trx, organization)
    await allow(trx, caller, id, 'organization.delete')
    checkStrong(caller, now)
    if (id === FIRST_ORGANIZATION)
      throw new HeadgateError('conflict', 'This organization manages the gateway and cannot be deleted.')
    const projects = (await trx.selectFrom('projects').select('id').where('organization', '=', id).execute()).map(
      (project) => project.id,
    )
    const keys =
      projects.length === 0
        ? []
        : await trx.selectFrom('keys').select(['id', 'revoked_at']).where('project', 'in', projects).execute()
    for (const key of keys) if (key.revoked_at === null) await revokeKeyWithin(connection, trx, key.id, { now })
    const owners = [id, ...projects, ...keys.map((key) => key.id)]
    const budgets = await trx.selectFrom('budgets').select('id').where('owner', 'in', owners).execute()
    await removeBudgetsWithin(
      connection,
      trx,
      budgets.map((budget) => budget.id),
      now,
    )
    for (const table of ['memberships', 'invites', 'links', 'saved_views', 'statement_mails'] as const)
      await trx.deleteFrom(table).where('organization', '=', id).execute()
    const archived = trx
      .updateTable('projects')
      .set({ archived_at: BigInt(now) })
      .where('organization', '=', id)
    await archived.where('archived_at', 'is', null).execute()
    await trx.deleteFrom('organizations').where('id', '=', id).execute()
    await noteKeysChanged(trx)
    // Owners of the gateway see it. The log of the organization has no readers.
    await note(trx, caller, { action: 'organization.remove', target: id, organization: FIRST_ORGANIZATION }, now)
  })
}
