import { HeadgateError, rightsOf } from '@headgate/gateway/ports'
import { CONFIG_PROJECT, keyById, type StoredKey } from '@headgate/store/sql'
import type { AuditFacts } from '../audit/audit.ts'
import { FIRST_ORGANIZATION, FIRST_PROJECT } from '../database/ids.ts'
import { idOf, missing } from '../database/input.ts'
import type { Caller } from '../roles/caller.ts'
import type { PermissionScope } from '../roles/roles.ts'
import type { AccountsTransaction } from '../schema/tables.ts'

type OwnedKeyReader = Pick<AccountsTransaction, 'selectFrom'>

/** Visibility of keys for a caller in an organization. */
export interface KeyVisibility {
  readonly caller: Caller
  readonly organization: string
  readonly reach: PermissionScope
}

/** Ids of projects whose keys belong to an organization. Projects without an organization belong to the first one. */
export async function projectsOf(trx: OwnedKeyReader, organization: string): Promise<ReadonlySet<string>> {
  const rows = await trx.selectFrom('projects').select('id').where('organization', '=', organization).execute()
  const known = rows.map(({ id }) => id)
  return new Set(organization === FIRST_ORGANIZATION ? [...known, FIRST_PROJECT, CONFIG_PROJECT] : known)
}

/** True if the caller can see the key. */
export function isSeen(
  { project, createdBy }: StoredKey,
  projects: ReadonlySet<string>,
  { caller, reach }: KeyVisibility,
): boolean {
  return projects.has(project) && (reach === 'all' || (caller.kind === 'person' && createdBy === caller.id))
}

/** Visible key. @throws HeadgateError `not-found` for any other key. */
export async function seenKey(trx: AccountsTransaction, id: string, sight: KeyVisibility): Promise<StoredKey> {
  const key = await keyById({ db: trx }, idOf(id))
  if (!key || !isSeen(key, await projectsOf(trx, sight.organization), sight)) throw missing('key')
  return key
}

/** Project of a new key, which must not be archived. @throws HeadgateError `not-found`, `conflict`. */
export async function projectFor(
  trx: OwnedKeyReader,
  organization: string,
  given: string | undefined,
): Promise<string> {
  const query = trx.selectFrom('projects').select(['id', 'archived_at']).where('organization', '=', organization)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  const wanted =
    given === undefined ? rows.find(({ archived_at }) => archived_at === null) : rows.find(({ id }) => id === given)
  if (wanted && wanted.archived_at !== null)
    throw new HeadgateError('conflict', 'The project is archived and accepts no new keys.', { param: 'project' })
  if (wanted) return wanted.id
  // The first project exists only after the first account.
  if (organization === FIRST_ORGANIZATION && rows.length === 0 && (given === undefined || given === FIRST_PROJECT))
    return FIRST_PROJECT
  throw new HeadgateError('not-found', 'There is no such project.', { param: 'project' })
}

/** Facts about a key for the audit log. */
export function factsOfKey({
  prefix,
  name,
  project,
  environment,
  createdBy,
  service,
  expiresAt,
  limits = {},
  ...key
}: StoredKey): AuditFacts {
  return {
    prefix,
    project,
    environment,
    ...(name !== undefined && { name }),
    ...(createdBy !== undefined && { createdBy }),
    ...(service && { service }),
    ...rightsOf(key),
    ...Object.fromEntries(Object.entries(limits)),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}
