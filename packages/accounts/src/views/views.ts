import { HeadgateError } from '@headgate/gateway/ports'
import { isVisible } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { newId } from '../database/ids.ts'
import { idOf, missing, nameOf, wrong } from '../database/input.ts'
import { lockOrganization } from '../organizations/organizations.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller, personOf } from '../roles/caller.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'

/** Saved view of a list: its filters, order and columns under a name. */
export interface SavedView {
  readonly id: string
  readonly name: string
  /** List, such as `requests`. */
  readonly page: string
  /** Query of its address, such as `outcome=failed&sort=cost`. */
  readonly search: string
  /** True if all members see it; otherwise only the person who saved it. */
  readonly isTeams: boolean
  /** Unix milliseconds. */
  readonly createdAt: number
}

export interface NewView extends Pick<SavedView, 'name' | 'page' | 'search' | 'isTeams'> {}

/** Maximum number of views of a person, and of a team, in an organization. */
const MOST = 100
/** Maximum length of the query in characters. */
const LONGEST = 4_000
/** Owner of the views of the team. */
const TEAM = ''

/** Views of a list that the caller sees, by name. */
export async function listViews(
  { connection: { db } }: Parts,
  caller: Caller,
  organization: string,
  page: string,
): Promise<readonly SavedView[]> {
  await allow(db, caller, organization, 'views.write')
  const query = db
    .selectFrom('saved_views')
    .selectAll()
    .where('organization', '=', idOf(organization))
    .where('owner', 'in', [TEAM, personOf(caller).id])
    .where('page', '=', page)
  return (await query.orderBy('name').orderBy('id').execute()).map(viewFrom)
}

/**
 * Saves a view. A view of the same name, list and owner is replaced. @throws HeadgateError `forbidden` for a view of the
 * team without the permission, `conflict` if there are too many.
 */
export function saveView(parts: Parts, caller: Caller, organization: string, view: NewView): Promise<SavedView> {
  const { page, isTeams } = view
  const [name, search] = [nameOf(view.name), searchOf(view.search)]
  return inTransaction(parts, async (trx, now) => {
    const owner = await ownerOf(trx, caller, organization, isTeams)
    await lockOrganization(trx, organization)
    const own = await trx
      .selectFrom('saved_views')
      .select(['id', 'name', 'page'])
      .where('organization', '=', organization)
      .where('owner', '=', owner)
      .execute()
    const before = own.find((one) => one.name === name && one.page === page)
    if (!before && own.length >= MOST)
      throw new HeadgateError('conflict', `There can be at most ${MOST} saved views. Delete one first.`)
    const row = { id: before?.id ?? newId('viw'), organization, owner, page, name, search, created_at: BigInt(now) }
    if (before)
      await trx.updateTable('saved_views').set({ search, created_at: now }).where('id', '=', before.id).execute()
    else await trx.insertInto('saved_views').values(row).execute()
    if (isTeams)
      await note(trx, caller, { action: 'view.save', target: row.id, organization, after: { name, page, search } }, now)
    return viewFrom(row)
  })
}

/** Deletes a view. @throws HeadgateError `not-found` for a view of another person. */
export function removeView(parts: Parts, caller: Caller, organization: string, view: string): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'views.write')
    const row = await trx
      .selectFrom('saved_views')
      .selectAll()
      .where('id', '=', idOf(view))
      .where('organization', '=', idOf(organization))
      .where('owner', 'in', [TEAM, personOf(caller).id])
      .executeTakeFirst()
    if (!row) throw missing('view')
    const isTeams = row.owner === TEAM
    await ownerOf(trx, caller, organization, isTeams)
    await trx.deleteFrom('saved_views').where('id', '=', row.id).execute()
    const { name, page } = row
    if (isTeams)
      await note(trx, caller, { action: 'view.remove', target: row.id, organization, before: { name, page } }, now)
  })
}

/** Deletes the own views of a person who leaves an organization. */
export async function removeViewsOf(trx: AccountsTransaction, organization: string, person: string): Promise<void> {
  await trx.deleteFrom('saved_views').where('organization', '=', organization).where('owner', '=', person).execute()
}

/** Owner of a view that the caller changes. @throws HeadgateError `forbidden`. */
async function ownerOf(
  trx: AccountsTransaction,
  caller: Caller,
  organization: string,
  isTeams: boolean,
): Promise<string> {
  const { reach } = await allow(trx, caller, organization, 'views.write')
  if (!isTeams) return personOf(caller).id
  if (reach === 'all') return TEAM
  throw new HeadgateError('forbidden', 'Only owners and admins change the views of the team.')
}

function searchOf(text: string): string {
  if (text.length <= LONGEST && (text === '' || isVisible(text))) return text
  throw wrong('search', `\`search\` must be one line of at most ${LONGEST} characters.`)
}

function viewFrom({ id, name, page, search, owner, created_at }: AccountsRow<'saved_views'>): SavedView {
  return { id, name, page, search, isTeams: owner === TEAM, createdAt: Number(created_at) }
}
