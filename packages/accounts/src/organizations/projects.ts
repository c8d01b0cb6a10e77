import { HeadgateError } from '@headgate/gateway/ports'
import { note } from '../audit/audit.ts'
import { newId } from '../database/ids.ts'
import { checkVersion, idOf, missing, nameOf } from '../database/input.ts'
import { noteKeysChanged } from '../keys/changed.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller } from '../roles/caller.ts'
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { lockOrganization } from './organizations.ts'

/** Project that keys belong to. Times are Unix milliseconds. */
export interface Project {
  readonly id: string
  readonly organization: string
  readonly name: string
  readonly createdAt: number
  readonly archivedAt?: number
  /** True if its keys can use each other's stored responses. */
  readonly sharesResponses: boolean
  /** Number that increases with each change. */
  readonly version: number
}

export interface ProjectChange {
  readonly name?: string
  /** True to archive the project: it accepts no new keys. */
  readonly archived?: boolean
  /** True if its keys can use each other's stored responses. */
  readonly sharesResponses?: boolean
  /** Expected version. Any other version is a conflict. */
  readonly version?: number
}

/** Maximum number of projects per organization. */
const MOST = 1_000

/** Projects in order of creation, including archived ones. */
export async function listProjects(
  { connection }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly Project[]> {
  await allow(connection.db, caller, organization, 'projects.read')
  const query = connection.db.selectFrom('projects').selectAll().where('organization', '=', idOf(organization))
  return (await query.orderBy('created_at').orderBy('id').limit(MOST).execute()).map(projectFrom)
}

export async function readProject(
  { connection }: Parts,
  caller: Caller,
  organization: string,
  project: string,
): Promise<Project> {
  await allow(connection.db, caller, organization, 'projects.read')
  return projectFrom(await find(connection.db, organization, project))
}

/** @throws HeadgateError `conflict` if another project has this name. */
export function createProject(parts: Parts, caller: Caller, organization: string, name: string): Promise<Project> {
  const checked = nameOf(name)
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'projects.write')
    await lockOrganization(trx, organization)
    const all = await trx
      .selectFrom('projects')
      .select('name')
      .where('organization', '=', organization)
      .limit(MOST)
      .execute()
    if (all.length === MOST) throw new HeadgateError('conflict', `An organization can have at most ${MOST} projects.`)
    await checkName(trx, organization, checked)
    const row = {
      id: newId('prj'),
      organization,
      name: checked,
      created_at: BigInt(now),
      archived_at: null,
      version: 1n,
      shares_responses: null,
    }
    await trx.insertInto('projects').values(row).execute()
    await note(trx, caller, { action: 'project.create', target: row.id, organization, after: { name: checked } }, now)
    return projectFrom(row)
  })
}

/**
 * Renames, archives or restores a project, or changes whether its keys share stored responses. @throws HeadgateError
 * `conflict` for a taken name or another version.
 */
export function changeProject(
  parts: Parts,
  caller: Caller,
  organization: string,
  project: string,
  change: ProjectChange,
): Promise<Project> {
  const name = change.name === undefined ? undefined : nameOf(change.name)
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'projects.write')
    await lockOrganization(trx, organization)
    const before = await find(trx, organization, project)
    checkVersion(before.version, change.version)
    const archived = archivedAt(before, change.archived, now)
    const { sharesResponses = before.shares_responses !== null } = change
    const shares = sharesResponses ? 1n : null
    const next = {
      name: name ?? before.name,
      archived_at: archived,
      version: before.version + 1n,
      shares_responses: shares,
    }
    if (archived === null && (next.name !== before.name || before.archived_at !== null))
      await checkName(trx, organization, next.name)
    if (archived !== null && before.archived_at === null) await checkOthers(trx, before)
    await trx.updateTable('projects').set(next).where('id', '=', before.id).execute()
    if (shares !== before.shares_responses) await noteKeysChanged(trx)
    const after = { ...before, ...next }
    await note(
      trx,
      caller,
      { action: 'project.change', target: before.id, organization, before: factsOf(before), after: factsOf(after) },
      now,
    )
    return projectFrom(after)
  })
}

function archivedAt(before: AccountsRow<'projects'>, isArchived: boolean | undefined, now: number): bigint | null {
  if (isArchived === undefined) return before.archived_at
  return isArchived ? (before.archived_at ?? BigInt(now)) : null
}

async function find(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  organization: string,
  project: string,
): Promise<AccountsRow<'projects'>> {
  const query = trx
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', idOf(project))
    .where('organization', '=', idOf(organization))
  const row = await query.executeTakeFirst()
  if (!row) throw missing('project')
  return row
}

async function checkName(trx: AccountsTransaction, organization: string, name: string): Promise<void> {
  const query = trx
    .selectFrom('projects')
    .select('id')
    .where('organization', '=', organization)
    .where('name', '=', name)
  if (!(await query.where('archived_at', 'is', null).executeTakeFirst())) return
  throw new HeadgateError('conflict', 'Another project has this name.', { param: 'name' })
}

async function checkOthers(trx: AccountsTransaction, { id, organization }: AccountsRow<'projects'>): Promise<void> {
  const query = trx.selectFrom('projects').select('id').where('organization', '=', organization).where('id', '!=', id)
  if (await query.where('archived_at', 'is', null).limit(1).executeTakeFirst()) return
  throw new HeadgateError('conflict', 'This is the last project of the organization. Create another one first.')
}

function factsOf({ name, archived_at, shares_responses }: AccountsRow<'projects'>) {
  return { name, archived: archived_at !== null, sharesResponses: shares_responses !== null }
}

function projectFrom(row: AccountsRow<'projects'>): Project {
  return {
    id: row.id,
    organization: row.organization,
    name: row.name,
    createdAt: Number(row.created_at),
    version: Number(row.version),
    sharesResponses: row.shares_responses !== null,
    ...(row.archived_at !== null && { archivedAt: Number(row.archived_at) }),
  }
}
