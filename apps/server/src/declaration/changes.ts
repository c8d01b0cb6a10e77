import { budgetChanges } from './budget-changes.ts'
import { type DeclarationChange, type KnownIds, keyName } from './change.ts'
import type { Declaration } from './declaration.ts'
import { keyChanges } from './key-changes.ts'
import { memberChanges } from './member-changes.ts'
import { priceChanges } from './price-changes.ts'
import { projectChanges } from './project-changes.ts'
import type { ManagedState } from './state.ts'

export interface ComparisonOptions {
  /** Secret of the management key in use. */
  readonly own: string
  /** Folder of the declaration. */
  readonly folder: string
}

/** Differences of a declaration from the gateway, in the order in which they are carried out. */
export interface Comparison {
  readonly changes: readonly DeclarationChange[]
  readonly ids: KnownIds
}

/** @throws HeadgateError if the declaration names something that does not exist */
export function compare(declaration: Declaration, state: ManagedState, { own, folder }: ComparisonOptions): Comparison {
  const { projects, keys, budgets, members, prices } = declaration
  const projectNames = new Map(state.projects.map(({ id, name }) => [id, name]))
  const ids: KnownIds = {
    projects: new Map(state.projects.map(({ id, name }) => [name, id])),
    keys: new Map(
      state.keys.map(({ id, project, environment, name = '' }) => [
        keyName(projectNames.get(project) ?? project, environment, name),
        id,
      ]),
    ),
  }
  const changes = [
    ...(projects ? projectChanges(projects, state.projects) : []),
    ...(keys ? keyChanges(keys, { keys: state.keys, projects: state.projects, own, folder }) : []),
    ...(budgets ? budgetChanges(budgets, { state, projects: projects ?? [], keys: keys ?? [], ids }) : []),
    ...(members ? memberChanges(members, { members: state.members, invites: state.invites, folder }) : []),
    ...(prices ? priceChanges(prices, state.prices) : []),
  ]
  // Removals come last: a change may need an object that is removed.
  return { changes: [...changes.filter(isKept), ...changes.filter((change) => !isKept(change)).toReversed()], ids }
}

function isKept({ sign }: DeclarationChange): boolean {
  return sign !== '-'
}
