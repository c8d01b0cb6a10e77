import { HeadgateError } from '@headgate/gateway/ports'
import {
  type BudgetStatus,
  budgetOf,
  budgetStatuses,
  keyById,
  listKeys,
  type NewBudget,
  readSetting,
  removeBudgetsWithin,
  writeBudgets,
} from '@headgate/store/sql'
import { type AuditFacts, note } from '../audit/audit.ts'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { checkVersion, idOf, missing } from '../database/input.ts'
import { projectsOf } from '../keys/owned.ts'
import type { Parts } from '../parts.ts'
import { allow, type Caller } from '../roles/caller.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { inTransaction } from '../transaction.ts'

/** Budget with its spending and source. Amounts are in nano-dollars. */
export interface OwnedBudget extends BudgetStatus {
  /** `config`: can be changed only in the configuration. */
  readonly source: 'store' | 'config'
  /** Number that changes with each update. */
  readonly version: number
}

export interface BudgetVersion {
  /** Expected version. Any other version is a conflict. */
  readonly version?: number | undefined
}

/** Owner of a budget. */
type BudgetOwner = Pick<NewBudget, 'scope' | 'owner'>

/** Visible budgets: those in the organization, or only those for the caller and the caller's keys. */
export async function listBudgets(
  { connection, now }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly OwnedBudget[]> {
  const { db } = connection
  const { reach } = await allow(db, caller, organization, 'budgets.read')
  const all = await budgetStatuses(connection, now())
  const rows = await db
    .selectFrom('budgets')
    .select(['id', 'source', 'version'])
    .where('removed_at', 'is', null)
    .execute()
  const known = new Map(rows.map((row) => [row.id, row]))
  const isSeen = reach === 'own' ? await ownBy(connection, caller) : await ofOrganization(connection, organization)
  return all.filter(isSeen).flatMap((budget) => {
    const row = known.get(budget.id)
    return row
      ? [{ ...budget, source: row.source === 'config' ? 'config' : 'store', version: Number(row.version) } as const]
      : []
  })
}

/** Budget of another owner that restricts keys of the caller, without what others spend. */
export interface SharedBudget extends Pick<BudgetStatus, 'id' | 'name' | 'period' | 'soft' | 'resetAt'> {
  readonly scope: 'project' | 'organization'
  /** Unspent amount in nano-dollars, at least 0. */
  readonly left: bigint
}

/**
 * Budgets of projects and the organization that restrict keys of a caller with scope `own`; others see them with
 * `listBudgets`.
 */
export async function listSharedBudgets(
  { connection, now }: Parts,
  caller: Caller,
  organization: string,
): Promise<readonly SharedBudget[]> {
  const { db } = connection
  const { reach } = await allow(db, caller, organization, 'budgets.read')
  if (reach !== 'own' || caller.kind !== 'person') return []
  const own = await projectsOf(db, organization)
  const keys = (await listKeys(connection, { createdBy: caller.id })).filter(
    ({ project, revokedAt }) => revokedAt === undefined && own.has(project),
  )
  if (keys.length === 0) return []
  const projects = new Set(keys.map(({ project }) => project))
  const shared = (await budgetStatuses(connection, now())).flatMap((budget): SharedBudget[] => {
    const { id, name, scope, owner, period, soft, limit, spent, resetAt } = budget
    const isSeen = scope === 'project' ? projects.has(owner) : scope === 'organization' && owner === organization
    if (!isSeen || scope === 'key' || scope === 'member') return []
    const left = limit > spent ? limit - spent : 0n
    return [{ id, name, scope, period, soft, left, ...(resetAt !== undefined && { resetAt }) }]
  })
  return shared.sort((one, other) => one.name.localeCompare(other.name))
}

/** Creates a budget, or changes the budget with the given id. */
export function setBudget(
  parts: Parts,
  caller: Caller,
  organization: string,
  { version, ...given }: NewBudget & BudgetVersion,
): Promise<{ readonly id: string; readonly version: number }> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'budgets.write')
    await checkOwner(trx, organization, given)
    const connection = { ...parts.connection, db: trx }
    const before = given.id === undefined ? undefined : await lockBudget(trx, organization, given.id, version)
    if (before && (before.scope !== given.scope || before.owner !== given.owner))
      throw new HeadgateError('conflict', 'The owner of a budget cannot change. Create another budget.', {
        param: 'owner',
      })
    const budget = budgetOf(given, (await readSetting(connection, 'zone')) ?? 'UTC')
    await writeBudgets(connection, trx, [budget], { now })
    const act = {
      action: before ? 'budget.change' : 'budget.create',
      target: budget.id,
      organization,
      after: factsOf(budget),
    }
    await note(trx, caller, { ...act, ...(before && { before: factsOf(before) }) }, now)
    const row = await trx.selectFrom('budgets').select('version').where('id', '=', budget.id).executeTakeFirstOrThrow()
    return { id: budget.id, version: Number(row.version) }
  })
}

export function removeBudget(
  parts: Parts,
  caller: Caller,
  organization: string,
  id: string,
  { version }: BudgetVersion = {},
): Promise<void> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'budgets.write')
    const before = await lockBudget(trx, organization, id, version)
    await removeBudgetsWithin({ ...parts.connection, db: trx }, trx, [before.id], now)
    await note(trx, caller, { action: 'budget.remove', target: before.id, organization, before: factsOf(before) }, now)
  })
}

/**
 * Resets a budget: its spending becomes zero, and it gets another id. The spending stays on record under the old id.
 */
export function resetBudget(
  parts: Parts,
  caller: Caller,
  organization: string,
  id: string,
  { version }: BudgetVersion = {},
): Promise<{ readonly id: string; readonly version: number }> {
  return inTransaction(parts, async (trx, now) => {
    await allow(trx, caller, organization, 'budgets.write')
    const connection = { ...parts.connection, db: trx }
    const before = await lockBudget(trx, organization, id, version)
    const { scope, owner, name, limit, period, zone, soft, counts } = before
    const budget = budgetOf({ scope, owner, name, limit, period, zone, soft, counts } as NewBudget, zone)
    await removeBudgetsWithin(connection, trx, [before.id], now)
    await writeBudgets(connection, trx, [budget], { now })
    await note(trx, caller, { action: 'budget.reset', target: before.id, organization, after: { id: budget.id } }, now)
    const row = await trx.selectFrom('budgets').select('version').where('id', '=', budget.id).executeTakeFirstOrThrow()
    return { id: budget.id, version: Number(row.version) }
  })
}

interface LockedBudget extends BudgetOwner {
  readonly id: string
  readonly name: string
  readonly limit: bigint
  readonly period: string
  readonly zone: string
  readonly soft: boolean
  readonly counts: string
}

/** Locks a budget of an organization for a change. @throws HeadgateError `not-found`, `conflict`. */
async function lockBudget(
  trx: AccountsTransaction,
  organization: string,
  id: string,
  version: number | undefined,
): Promise<LockedBudget> {
  const lock = trx
    .updateTable('budgets')
    .set({ id: idOf(id) })
    .where('id', '=', idOf(id))
    .where('removed_at', 'is', null)
  const row = await lock.returningAll().executeTakeFirst()
  const budget = row && {
    ...row,
    scope: row.scope as BudgetOwner['scope'],
    limit: row.limit_nanos,
    soft: row.soft !== 0n,
  }
  if (!budget || !(await isOf(trx, organization, budget))) throw missing('budget')
  if (budget.source === 'config')
    throw new HeadgateError('conflict', 'This budget comes from the configuration. Change it there.')
  checkVersion(budget.version, version)
  return budget
}

/** @throws HeadgateError `not-found` if the owner is not in the organization. */
async function checkOwner(
  trx: AccountsTransaction,
  organization: string,
  { scope, owner }: BudgetOwner,
): Promise<void> {
  if (await isOf(trx, organization, { scope, owner })) return
  throw new HeadgateError('not-found', `There is no such ${scope}.`, { param: 'owner' })
}

/** True if the owner of a budget belongs to an organization. */
async function isOf(trx: AccountsTransaction, organization: string, { scope, owner }: BudgetOwner): Promise<boolean> {
  const id = idOf(owner)
  if (scope === 'organization') return id === organization
  if (scope === 'project') return (await projectsOf(trx, organization)).has(id)
  if (scope === 'member') {
    const member = trx.selectFrom('memberships').select('person').where('organization', '=', organization)
    return (await member.where('person', '=', id).executeTakeFirst()) !== undefined
  }
  const key = await keyById({ db: trx }, id)
  if (key) return (await projectsOf(trx, organization)).has(key.project)
  // Configured keys are not in the table of keys.
  const known = await trx.selectFrom('principals').select('project').where('id', '=', id).executeTakeFirst()
  return organization === FIRST_ORGANIZATION && known !== undefined
}

type BudgetConnection = Pick<Parts['connection'], 'db'>

/** Filter for callers with scope `own`. */
async function ownBy(connection: BudgetConnection, caller: Caller): Promise<(budget: BudgetOwner) => boolean> {
  if (caller.kind !== 'person') return () => false
  const keys = new Set((await listKeys(connection, { createdBy: caller.id })).map(({ id }) => id))
  return ({ scope, owner }) => (scope === 'member' && owner === caller.id) || (scope === 'key' && keys.has(owner))
}

/** Filter for the budgets of an organization. The first organization also has budgets of unknown owners. */
async function ofOrganization(
  { db }: BudgetConnection,
  organization: string,
): Promise<(budget: BudgetOwner) => boolean> {
  const projects = await projectsOf(db, organization)
  const keys = new Map((await listKeys({ db })).map(({ id, project }) => [id, project]))
  const rows = await db.selectFrom('projects').select('id').where('organization', '!=', organization).execute()
  const others = new Set(rows.map(({ id }) => id))
  const people = await db.selectFrom('memberships').select(['person', 'organization']).execute()
  const members = new Set(people.filter((one) => one.organization === organization).map(({ person }) => person))
  const isFirst = organization === FIRST_ORGANIZATION
  return ({ scope, owner }) => {
    if (scope === 'organization') return owner === organization
    if (scope === 'member') return members.has(owner)
    const project = scope === 'project' ? owner : keys.get(owner)
    return project === undefined ? isFirst : projects.has(project) || (isFirst && !others.has(project))
  }
}

function factsOf({ scope, owner, name, limit, period, zone, soft, counts }: Omit<LockedBudget, 'id'>): AuditFacts {
  return { scope, owner, name, limit: String(limit), period, zone, soft, counts }
}
