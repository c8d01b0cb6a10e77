import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { budgetsQuery } from '../api/budgets.ts'
import { useMay } from '../api/me.ts'
import { modelsQuery, providersQuery } from '../api/models.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../api/names.ts'

/** Entry of the command menu. */
export interface MenuCommand {
  /** Text that the search looks in. */
  readonly value: string
  readonly label: string
  readonly hint: string
  run(): void
}

/** Format of request IDs, which the menu opens directly. Rows of lost requests have the ID of the row. */
const REQUEST = /\breq_[\w-]{8,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/i

/** Request ID within a string, such as a line of a log or `x-request-id: req_…`. */
export function requestIdIn(text: string): string | undefined {
  return REQUEST.exec(text)?.[0].toLowerCase()
}

/** Minimum length of a search for keys, models and other items, and maximum number of each kind. */
const [SEARCHED_FROM, MOST] = [2, 6]

interface MenuItem {
  readonly id: string
  readonly title: string
}

/** Keys, models, providers, budgets, projects and members that match a search, as commands that open them. */
export function useFoundItems(typed: string): readonly MenuCommand[] {
  const navigate = useNavigate()
  const search = typed.trim().toLowerCase()
  const isWanted = search.length >= SEARCHED_FROM
  const [mayBudgets, mayProviders] = [useMay('budgets.read'), useMay('providers.read')].map(
    (scope) => scope !== undefined,
  )
  const keys = useKeyNames(isWanted)
  const members = useMemberNames(isWanted)
  const projects = useProjectNames()
  const models = useQuery({ ...modelsQuery, enabled: isWanted && mayProviders === true }).data?.items ?? []
  const providers = useQuery({ ...providersQuery, enabled: isWanted && mayProviders === true }).data?.items ?? []
  const budgets = useQuery({ ...budgetsQuery, enabled: isWanted && mayBudgets === true }).data?.items ?? []
  if (!isWanted) return []
  const found = (kind: string, items: readonly MenuItem[], open: (id: string) => void): MenuCommand[] =>
    items
      .filter(({ id, title }) => `${title} ${id}`.toLowerCase().includes(search))
      .slice(0, MOST)
      .map(({ id, title }) => ({
        value: `${kind} ${title} ${id} ${typed}`,
        label: title,
        hint: kind,
        run: () => open(id),
      }))
  const named = (names: ReadonlyMap<string, string>): MenuItem[] => [...names].map(([id, title]) => ({ id, title }))
  const same = (ids: readonly string[]): MenuItem[] => ids.map((id) => ({ id, title: id }))
  const projectId = (id: string): void =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, project: id }) } as never)
  return [
    ...found('key', named(keys), (row) => void navigate({ to: '/keys', search: { row } })),
    ...found('model', same(models.map(({ id }) => id)), (row) => void navigate({ to: '/models', search: { row } })),
    ...found(
      'provider',
      same(providers.map(({ name }) => name)),
      (row) => void navigate({ to: '/providers', search: { row } }),
    ),
    ...found(
      'budget',
      budgets.map(({ id, name }) => ({ id, title: name })),
      (row) => void navigate({ to: '/budgets', search: { row } }),
    ),
    ...found('project', named(projects), projectId),
    ...found('member', named(members), () => void navigate({ to: '/organization', search: { tab: 'members' } })),
  ]
}

/** Actions that the user is permitted. */
export function useActions(): readonly MenuCommand[] {
  const navigate = useNavigate()
  const all: readonly (MenuCommand & { readonly isPermitted: boolean })[] = [
    {
      isPermitted: useMay('keys.write') !== undefined,
      value: 'create key new secret token',
      label: 'Create key',
      hint: 'action',
      run: () => void navigate({ to: '/keys', search: { make: true } }),
    },
    {
      isPermitted: useMay('budgets.write') !== undefined,
      value: 'new budget create limit',
      label: 'New budget',
      hint: 'action',
      run: () => void navigate({ to: '/budgets', search: { make: true } }),
    },
    {
      isPermitted: useMay('usage.read') !== undefined,
      value: 'errors failures why failed',
      label: 'Errors of requests',
      hint: 'page',
      run: () => void navigate({ to: '/requests', search: { tab: 'errors' } }),
    },
  ]
  return all.filter(({ isPermitted }) => isPermitted)
}
