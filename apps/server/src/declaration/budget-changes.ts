import { dollars } from '../commands/money.ts'
import { definition } from '../service/budgets.ts'
import { byName, type ChangeContext, type DeclarationChange, declarationError, differences, keyName } from './change.ts'
import type { DeclaredBudget, DeclaredKey, DeclaredProject } from './declaration.ts'
import { nameOfDeclared } from './key-changes.ts'
import type { ManagedBudget, ManagedState } from './state.ts'

/** Owner of a budget. Its id is unknown until the owner is created. */
interface DeclaredOwner {
  readonly scope: ManagedBudget['scope']
  /** Words for the owner, such as `key web`. */
  readonly words: string
  idIn(ids: ChangeContext['ids']): string | undefined
}

export interface BudgetListing {
  readonly state: ManagedState
  /** Owners that the same declaration creates. */
  readonly projects: readonly DeclaredProject[]
  readonly keys: readonly DeclaredKey[]
  readonly ids: ChangeContext['ids']
}

/** Changes of budgets. Budgets that are not declared are removed. */
export function budgetChanges(declared: readonly DeclaredBudget[], listing: BudgetListing): DeclarationChange[] {
  const { budgets } = listing.state
  const idOf = ({ scope, owner, name }: Pick<ManagedBudget, 'scope' | 'owner' | 'name'>) =>
    JSON.stringify([scope, owner, name])
  const wanted = declared.map((budget) => ({ budget, owner: ownerOf(budget, listing) }))
  const names = new Set(
    wanted.map(({ budget: { name }, owner }) =>
      idOf({ scope: owner.scope, owner: owner.idIn(listing.ids) ?? '', name }),
    ),
  )
  const managed = budgets.filter((one) => names.has(idOf(one)))
  const known = byName('budget', managed, idOf)
  return [
    ...wanted.flatMap(({ budget, owner }) =>
      changesOf(
        budget,
        owner,
        known.get(idOf({ scope: owner.scope, owner: owner.idIn(listing.ids) ?? '', name: budget.name })),
      ),
    ),
    ...budgets.filter((one) => !managed.includes(one)).map(remove),
  ]
}

/** @throws HeadgateError if neither the gateway nor the declaration has the owner */
function ownerOf(
  { name, project, key, environment = 'production', member }: DeclaredBudget,
  { state, projects, keys, ids }: BudgetListing,
): DeclaredOwner {
  const missing = (words: string) => declarationError(`budget ${name}: there is no ${words}.`)
  if (member !== undefined) {
    const person = state.members.find(({ email }) => email?.toLowerCase() === member.toLowerCase())?.person
    if (person === undefined) throw missing(`member ${member}`)
    return { scope: 'member', words: `member ${member}`, idIn: () => person }
  }
  if (key !== undefined) {
    const full = keyName(project ?? 'default', environment, key)
    if (!ids.keys.has(full) && !keys.some((one) => nameOfDeclared(one) === full)) throw missing(`key ${key}`)
    return { scope: 'key', words: `key ${key}`, idIn: (known) => known.keys.get(full) }
  }
  if (project !== undefined) {
    if (!ids.projects.has(project) && !projects.some((one) => one.name === project)) throw missing(`project ${project}`)
    return { scope: 'project', words: `project ${project}`, idIn: (known) => known.projects.get(project) }
  }
  return { scope: 'organization', words: 'the organization', idIn: () => state.organization }
}

function changesOf(
  declared: DeclaredBudget,
  owner: DeclaredOwner,
  stored: ManagedBudget | undefined,
): DeclarationChange[] {
  const { name } = declared
  const { limit, period, soft, zone = stored?.zone, counts = stored?.counts } = definition(declared.budget)
  const terms = { limit: String(limit), period, soft, zone, counts }
  const fields = differences(stored ? shown(stored) : {}, shown(terms))
  if (stored && fields.length === 0) return []
  return [
    {
      sign: stored ? '~' : '+',
      what: `budget ${name} of ${owner.words}`,
      fields,
      carryOut({ client, ids }) {
        const body = { ...terms, name, scope: owner.scope, owner: owner.idIn(ids) }
        return stored
          ? client.request(`/budgets/${encodeURIComponent(stored.id)}`, {
              method: 'PUT',
              body,
              version: stored.version,
            })
          : client.request('/budgets', { method: 'POST', body })
      },
    },
  ]
}

type BudgetTerms = {
  readonly [Field in 'period' | 'soft' | 'zone' | 'counts']?: ManagedBudget[Field] | undefined
} & Pick<ManagedBudget, 'limit'>

/** Fields of a budget with its limit in dollars. */
function shown({ limit, period, soft, zone, counts }: BudgetTerms) {
  return { limit: dollars(BigInt(limit)), period, soft, zone, counts }
}

function remove({ id, name, scope, version }: ManagedBudget): DeclarationChange {
  return {
    sign: '-',
    what: `budget ${name} of a ${scope}`,
    fields: ['is removed'],
    carryOut: ({ client }) => client.request(`/budgets/${encodeURIComponent(id)}`, { method: 'DELETE', version }),
  }
}
