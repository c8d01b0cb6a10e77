import { HeadgateError, type RateLimit } from '@headgate/gateway/ports'
import { limitColumns, storedLimits } from '@headgate/store/sql'
import { note } from '../audit/audit.ts'
import { FIRST_ORGANISATION, FIRST_PROJECT, newId } from '../database/ids.ts'
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

/** An organisation. Times are Unix milliseconds. */
export interface Organisation {
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

export interface OrganisationChange {
  readonly name?: string
  readonly signUp?: SignUp
  readonly domains?: readonly string[]
  /** All of them: what is not named is not bounded. */
  readonly memberLimits?: RateLimit | null
  /** The change is made to this version only. */
  readonly version?: number
}

/** Most domains of an organisation. */
const DOMAINS = 100
const DEFAULT = 'default'

/** Makes the first organisation, with its project. @returns false where it is there already. */
export async function makeFirstOrganisation(trx: Writing, now: number): Promise<boolean> {
  const values = {
    id: FIRST_ORGANISATION,
    name: DEFAULT,
    sign_up: 'invite',
    domains: '[]',
    created_at: now,
    version: 1,
  }
  const insert = trx.insertInto('organisations').values(values)
  const made = await insert
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!made) return false
  const project = { id: FIRST_PROJECT, organisation: FIRST_ORGANISATION, name: DEFAULT, created_at: now, version: 1 }
  await trx.insertInto('projects').values(project).execute()
  return true
}

/** Makes another organisation, with a project `default`, that nobody is in yet. By the operator. */
export function createOrganisation(parts: Parts, caller: Caller, name: string): Promise<Organisation> {
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
    await trx.insertInto('organisations').values(row).execute()
    await trx
      .insertInto('projects')
      .values({ id: newId('prj'), organisation: id, name: DEFAULT, created_at: now, version: 1 })
      .execute()
    await note(
      trx,
      caller,
      { action: 'organisation.create', target: id, organisation: id, after: { name: checked } },
      now,
    )
    return organisationFrom(row)
  })
}

export async function readOrganisation(
  { connection }: Parts,
  caller: Caller,
  organisation: string,
): Promise<Organisation> {
  await allow(connection.db, caller, organisation, 'organisation.read')
  return organisationFrom(await findOrganisation(connection.db, organisation))
}

/** Changes what an organisation is called, and who may join it. Sensitive. */
export function changeOrganisation(
  parts: Parts,
  caller: Caller,
  organisation: string,
  change: OrganisationChange,
): Promise<Organisation> {
  const set = changeOf(change)
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organisation, 'organisation.write')
    checkStrong(caller, now)
    const before = await lockOrganisation(trx, organisation)
    checkVersion(before.version, change.version)
    const update = trx.updateTable('organisations').set({ ...set, version: before.version + 1n })
    const after = await update.where('id', '=', before.id).returningAll().executeTakeFirstOrThrow()
    if (change.memberLimits !== undefined) await noteKeysChanged(trx)
    const act = {
      action: 'organisation.change',
      target: before.id,
      organisation: before.id,
      before: factsOf(before),
      after: factsOf(after),
    }
    await note(trx, caller, act, now)
    return organisationFrom(after)
  })
}

/**
 * An organisation whose members are about to change: others who are about to do the same wait. @throws HeadgateError
 * `not-found`.
 */
export async function lockOrganisation(trx: Writing, organisation: string): Promise<Row<'organisations'>> {
  const id = idOf(organisation)
  const row = await trx.updateTable('organisations').set({ id }).where('id', '=', id).returningAll().executeTakeFirst()
  if (!row) throw missing('organisation')
  return row
}

export async function findOrganisation(
  trx: Pick<Writing, 'selectFrom'>,
  organisation: string,
): Promise<Row<'organisations'>> {
  const row = await trx.selectFrom('organisations').selectAll().where('id', '=', idOf(organisation)).executeTakeFirst()
  if (!row) throw missing('organisation')
  return row
}

interface NewMember {
  readonly organisation: string
  readonly person: string
  readonly role: Role
  /** The OIDC provider that says the role. */
  readonly provider?: string | undefined
}

/** Makes somebody a member. @throws HeadgateError `conflict` where they are one. */
export async function addMember(
  trx: Writing,
  { organisation, person, role, provider }: NewMember,
  now: number,
): Promise<void> {
  const added = await trx
    .insertInto('memberships')
    .values({ organisation, person, role, provider: provider ?? null, created_at: now, version: 1 })
    .onConflict((conflict) => conflict.columns(['organisation', 'person']).doNothing())
    .returning('person')
    .executeTakeFirst()
  if (!added) throw new HeadgateError('conflict', 'This person is a member of the organisation already.')
  await noteKeysChanged(trx)
}

export function organisationFrom(row: Row<'organisations'>): Organisation {
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

function factsOf(row: Row<'organisations'>) {
  const { name, signUp, domains, memberLimits = {} } = organisationFrom(row)
  return { name, signUp, domains, ...Object.fromEntries(Object.entries(memberLimits)) }
}

function changeOf({ name, signUp, domains, memberLimits }: OrganisationChange) {
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
