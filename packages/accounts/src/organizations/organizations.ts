import { HeadgateError, type RateLimit } from '@headgate/gateway/ports'
import { limitColumns, storedLimits } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION, FIRST_PROJECT, newId } from '../database/ids.ts'
import { checkVersion, idOf, missing, nameOf, normalDomain, wrong } from '../database/input.ts'
import { noteKeysChanged } from '../keys/changed.ts'
import type { Parts } from '../parts.ts'
import { checkOperator } from '../people/people.ts'
import { allow, type Caller, checkStrong } from '../roles/caller.ts'
import type { Role } from '../roles/roles.ts'
import type { Row, Writing } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'

/** Who may make an account: those who are invited, or everybody with a mail address of the right domain. */
export type SignUp = 'invite' | 'open'

/** An organization. Times are Unix milliseconds. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly signUp: SignUp
  /** Domains of mail addresses that may sign up; none = any. */
  readonly domains: readonly string[]
  /** How much each member may ask with all of their keys together. Owners and admins, who set limits, are not bound. */
  readonly memberLimits?: RateLimit
  readonly createdAt: number
  /** Rises with each change. */
  readonly version: number
}

export interface OrganizationChange {
  readonly name?: string
  readonly signUp?: SignUp
  readonly domains?: readonly string[]
  /** All of them: what is not named is not bounded. */
  readonly memberLimits?: RateLimit | null
  /** The change is made to this version only. */
  readonly version?: number
}

/** Most domains of an organization. */
const DOMAINS = 100
const DEFAULT = 'default'

/** Makes the first organization, with its project. @returns false where it is there already. */
export async function makeFirstOrganization(trx: Writing, now: number): Promise<boolean> {
  const values = {
    id: FIRST_ORGANIZATION,
    name: DEFAULT,
    sign_up: 'invite',
    domains: '[]',
    created_at: now,
    version: 1,
  }
  const insert = trx.insertInto('organizations').values(values)
  const made = await insert
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!made) return false
  const project = { id: FIRST_PROJECT, organization: FIRST_ORGANIZATION, name: DEFAULT, created_at: now, version: 1 }
  await trx.insertInto('projects').values(project).execute()
  return true
}

/** Makes another organization, with a project `default`, that nobody is in yet. By the operator. */
export function createOrganization(parts: Parts, caller: Caller, name: string): Promise<Organization> {
  checkOperator(caller)
  const checked = nameOf(name)
  return inTransaction(parts, async (trx, now) => {
    const id = newId('org')
    const row = {
      id,
      name: checked,
      sign_up: 'invite',
      domains: '[]',
      created_at: BigInt(now),
      version: 1n,
      ...limitColumns({}),
    }
    await trx.insertInto('organizations').values(row).execute()
    await trx
      .insertInto('projects')
      .values({ id: newId('prj'), organization: id, name: DEFAULT, created_at: now, version: 1 })
      .execute()
    await note(
      trx,
      caller,
      { action: 'organization.create', target: id, organization: id, after: { name: checked } },
      now,
    )
    return organizationFrom(row)
  })
}

export async function readOrganization(
  { connection }: Parts,
  caller: Caller,
  organization: string,
): Promise<Organization> {
  await allow(connection.db, caller, organization, 'organization.read')
  return organizationFrom(await findOrganization(connection.db, organization))
}

/** Changes what an organization is called, and who may join it. Sensitive. */
export function changeOrganization(
  parts: Parts,
  caller: Caller,
  organization: string,
  change: OrganizationChange,
): Promise<Organization> {
  const set = changeOf(change)
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'organization.write')
    checkStrong(caller, now)
    const before = await lockOrganization(trx, organization)
    checkVersion(before.version, change.version)
    const update = trx.updateTable('organizations').set({ ...set, version: before.version + 1n })
    const after = await update.where('id', '=', before.id).returningAll().executeTakeFirstOrThrow()
    if (change.memberLimits !== undefined) await noteKeysChanged(trx)
    const act = {
      action: 'organization.change',
      target: before.id,
      organization: before.id,
      before: factsOf(before),
      after: factsOf(after),
    }
    await note(trx, caller, act, now)
    return organizationFrom(after)
  })
}

/**
 * An organization whose members are about to change: others who are about to do the same wait. @throws HeadgateError
 * `not-found`.
 */
export async function lockOrganization(trx: Writing, organization: string): Promise<Row<'organizations'>> {
  const id = idOf(organization)
  const row = await trx.updateTable('organizations').set({ id }).where('id', '=', id).returningAll().executeTakeFirst()
  if (!row) throw missing('organization')
  return row
}

export async function findOrganization(
  trx: Pick<Writing, 'selectFrom'>,
  organization: string,
): Promise<Row<'organizations'>> {
  const row = await trx.selectFrom('organizations').selectAll().where('id', '=', idOf(organization)).executeTakeFirst()
  if (!row) throw missing('organization')
  return row
}

interface NewMember {
  readonly organization: string
  readonly person: string
  readonly role: Role
  /** The OIDC provider that says the role. */
  readonly provider?: string | undefined
}

/** Makes somebody a member. @throws HeadgateError `conflict` where they are one. */
export async function addMember(
  trx: Writing,
  { organization, person, role, provider }: NewMember,
  now: number,
): Promise<void> {
  const added = await trx
    .insertInto('memberships')
    .values({ organization, person, role, provider: provider ?? null, created_at: now, version: 1 })
    .onConflict((conflict) => conflict.columns(['organization', 'person']).doNothing())
    .returning('person')
    .executeTakeFirst()
  if (!added) throw new HeadgateError('conflict', 'This person is a member of the organization already.')
  await noteKeysChanged(trx)
}

export function organizationFrom(row: Row<'organizations'>): Organization {
  const memberLimits = storedLimits(row)
  return {
    id: row.id,
    name: row.name,
    signUp: row.sign_up === 'open' ? 'open' : 'invite',
    domains: JSON.parse(row.domains),
    ...(memberLimits && { memberLimits }),
    createdAt: Number(row.created_at),
    version: Number(row.version),
  }
}

function factsOf(row: Row<'organizations'>) {
  const { name, signUp, domains, memberLimits = {} } = organizationFrom(row)
  return { name, signUp, domains, ...Object.fromEntries(Object.entries(memberLimits)) }
}

function changeOf({ name, signUp, domains, memberLimits }: OrganizationChange) {
  if (signUp !== undefined && signUp !== 'invite' && signUp !== 'open')
    throw wrong('signUp', '`signUp` is `invite` or `open`.')
  return {
    ...(name !== undefined && { name: nameOf(name) }),
    ...(signUp !== undefined && { sign_up: signUp }),
    ...(domains !== undefined && { domains: JSON.stringify(domainsOf(domains)) }),
    ...(memberLimits !== undefined && limitColumns(memberLimits ?? {})),
  }
}

function domainsOf(domains: readonly string[]): readonly string[] {
  if (!Array.isArray(domains) || domains.length > DOMAINS)
    throw wrong('domains', `\`domains\` is a list of at most ${DOMAINS}.`)
  const normal = domains.map((domain, index) => {
    const known = normalDomain(domain)
    if (known === undefined)
      throw wrong(`domains[${index}]`, `\`domains[${index}]\` is no domain, such as \`example.com\`.`)
    return known
  })
  return [...new Set(normal)]
}
