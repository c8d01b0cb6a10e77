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
import type { AccountsRow, AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'
import { type KeyDefaults, keyDefaultsIn, keyDefaultsText } from './key-defaults.ts'
import { recipientsIn, type StatementRecipient, statementMailText } from './statement-recipients.ts'

/** Sign-up mode: `invite` = invited people only, `open` = anyone with a mail address in an allowed domain. */
export type SignUp = 'invite' | 'open'

/** Organization. Times are Unix milliseconds. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly signUp: SignUp
  /** Domains of mail addresses that can sign up; empty = any. */
  readonly domains: readonly string[]
  /** Rate limits of each member, for all their keys together. They do not apply to owners and admins, who set them. */
  readonly memberLimits?: RateLimit
  /** Bounds of keys that members create. They do not apply to keys of owners and admins. */
  readonly keyDefaults?: KeyDefaults
  /** Members who receive the statement of each month by mail. */
  readonly statementMail?: readonly StatementRecipient[]
  readonly createdAt: number
  /** Number that increases with each change. */
  readonly version: number
}

export interface OrganizationChange {
  readonly name?: string
  readonly signUp?: SignUp
  readonly domains?: readonly string[]
  /** New limits. Absent fields are removed. */
  readonly memberLimits?: RateLimit | null
  /** Bounds of keys that members create from now on. Absent fields are removed. */
  readonly keyDefaults?: KeyDefaults | null
  /** Recipients of the statements of this month and later ones; empty = none. */
  readonly statementMail?: readonly StatementRecipient[]
  /** Expected version. Any other version is a conflict. */
  readonly version?: number
}

/** Maximum number of domains per organization. */
const DOMAINS = 100
const DEFAULT = 'default'

/** Creates the first organization and its project. @returns false if it already exists. */
export async function makeFirstOrganization(trx: AccountsTransaction, now: number): Promise<boolean> {
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

/** Creates an organization with a project `default` and without members. For the operator. */
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
      key_defaults: null,
      statement_mail: null,
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

/** Changes name and sign-up settings of an organization. Sensitive. */
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
    const mail =
      change.statementMail === undefined
        ? {}
        : { statement_mail: await statementMailText(trx, before, change.statementMail, now) }
    const update = trx.updateTable('organizations').set({ ...set, ...mail, version: before.version + 1n })
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

/** Locks an organization before a change of its members. @throws HeadgateError `not-found`. */
export async function lockOrganization(
  trx: AccountsTransaction,
  organization: string,
): Promise<AccountsRow<'organizations'>> {
  const id = idOf(organization)
  const row = await trx.updateTable('organizations').set({ id }).where('id', '=', id).returningAll().executeTakeFirst()
  if (!row) throw missing('organization')
  return row
}

export async function findOrganization(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  organization: string,
): Promise<AccountsRow<'organizations'>> {
  const row = await trx.selectFrom('organizations').selectAll().where('id', '=', idOf(organization)).executeTakeFirst()
  if (!row) throw missing('organization')
  return row
}

interface NewMember {
  readonly organization: string
  readonly person: string
  readonly role: Role
  /** OIDC provider that determines the role. */
  readonly provider?: string | undefined
}

/** Adds a member. @throws HeadgateError `conflict` if the person is already a member. */
export async function addMember(
  trx: AccountsTransaction,
  { organization, person, role, provider }: NewMember,
  now: number,
): Promise<void> {
  const added = await trx
    .insertInto('memberships')
    .values({ organization, person, role, provider: provider ?? null, created_at: now, version: 1 })
    .onConflict((conflict) => conflict.columns(['organization', 'person']).doNothing())
    .returning('person')
    .executeTakeFirst()
  if (!added) throw new HeadgateError('conflict', 'This person is already a member of the organization.')
  await noteKeysChanged(trx)
}

export function organizationFrom(row: AccountsRow<'organizations'>): Organization {
  const memberLimits = storedLimits(row)
  const keyDefaults = keyDefaultsIn(row.key_defaults)
  const statementMail = recipientsIn(row.statement_mail)
  return {
    id: row.id,
    name: row.name,
    signUp: row.sign_up === 'open' ? 'open' : 'invite',
    domains: JSON.parse(row.domains),
    ...(memberLimits && { memberLimits }),
    ...(keyDefaults && { keyDefaults }),
    ...(statementMail.length > 0 && { statementMail }),
    createdAt: Number(row.created_at),
    version: Number(row.version),
  }
}

function factsOf(row: AccountsRow<'organizations'>) {
  const { name, signUp, domains, memberLimits = {}, statementMail } = organizationFrom(row)
  const keyDefaults = row.key_defaults === null ? {} : { keyDefaults: row.key_defaults }
  return {
    name,
    signUp,
    domains,
    ...Object.fromEntries(Object.entries(memberLimits)),
    ...keyDefaults,
    ...(statementMail && { statementMail: JSON.stringify(statementMail) }),
  }
}

function changeOf({ name, signUp, domains, memberLimits, keyDefaults }: OrganizationChange) {
  if (signUp !== undefined && signUp !== 'invite' && signUp !== 'open')
    throw wrong('signUp', '`signUp` must be `invite` or `open`.')
  return {
    ...(name !== undefined && { name: nameOf(name) }),
    ...(signUp !== undefined && { sign_up: signUp }),
    ...(domains !== undefined && { domains: JSON.stringify(domainsOf(domains)) }),
    ...(memberLimits !== undefined && limitColumns(memberLimits ?? {})),
    ...(keyDefaults !== undefined && { key_defaults: keyDefaultsText(keyDefaults) }),
  }
}

function domainsOf(domains: readonly string[]): readonly string[] {
  if (!Array.isArray(domains) || domains.length > DOMAINS)
    throw wrong('domains', `\`domains\` must be a list of at most ${DOMAINS} domains.`)
  const normal = domains.map((domain, index) => {
    const known = normalDomain(domain)
    if (known === undefined)
      throw wrong(`domains[${index}]`, `\`domains[${index}]\` must be a domain such as \`example.com\`.`)
    return known
  })
  return [...new Set(normal)]
}
