import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import { type UserEvent, userEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'
import { API, type ResponseOf, type RouteName } from '../../web/api/call.ts'
import type { Me } from '../../web/api/me.ts'
import { parseSearch, writeSearch } from '../../web/view/search.ts'
// Pages load these on demand, which takes longer than queries of tests wait.
import '../../web/components/combobox-list.tsx'
import '../../web/components/date-range.tsx'
import '../../web/pages/requests/errors.tsx'
import '../../web/pages/requests/list-menus.tsx'
import '../../web/table/ordered-rows.tsx'

/** Request that a component sent to the API. */
export interface Sent {
  readonly name: RouteName
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly headers: Headers
}

/** What the API answers: a value, or what makes one of the request. */
export type Answers = {
  readonly [Name in RouteName]?: ResponseOf<Name> | ((sent: Sent) => Promise<ResponseOf<Name> | Response> | Response)
}

/** Problem details of RFC 9457, as the API sends them. */
export function refusal(status: number, detail: string, errors?: readonly { field: string; message: string }[]) {
  return Response.json({ type: 'about:blank', title: 'Refused', status, detail, instance: 'req_1', errors }, { status })
}

/** Owner of an organization, unless `may` grants fewer actions. */
export function account(may: Readonly<Record<string, string>> = ALL): Me {
  const membership = { organization: 'org_1', name: 'Analytical Engines', role: 'owner' as const, may }
  const session = { id: 'ses_1', strongAt: 0, expiresAt: 0 }
  return {
    id: 'usr_1',
    name: 'Ada Lovelace',
    hasPassword: true,
    createdAt: 0,
    memberships: [membership],
    session,
    timeZone: 'UTC',
  }
}

const ALL = Object.fromEntries(
  ['keys', 'budgets', 'members', 'organization'].flatMap((name) => [
    [`${name}.read`, 'all'],
    [`${name}.write`, 'all'],
  ]),
)

/**
 * Renders a component as the page at an address, with an API that answers from a table. A request that is not in the
 * table is a 404.
 */
export async function show(at: string, element: ReactNode, answers: Answers = {}) {
  onTestFinished(() => {
    cleanup()
    vi.unstubAllGlobals()
  })
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    const one = sentOf(address, init)
    sent.push(one)
    const answer = answers[one.name] ?? (one.name === 'GET /me' ? account() : refusal(404, `No ${one.name} here.`))
    const given: unknown = typeof answer === 'function' ? await answer(one) : answer
    if (given === undefined) return new Response(null, { status: 204 })
    return given instanceof Response ? given : Response.json(given)
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const root = createRootRoute()
  const within = createRoute({ getParentRoute: () => root, id: 'within' })
  const path = at.split('?')[0] ?? '/'
  const page = createRoute({ getParentRoute: () => within, path, component: () => element })
  const router = createRouter({
    routeTree: root.addChildren([within.addChildren([page])]),
    history: createMemoryHistory({ initialEntries: [at] }),
    parseSearch,
    stringifySearch: writeSearch,
  })
  await router.load()
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  const writes = () => sent.filter(({ name }) => !name.startsWith('GET '))
  return { user: userEvent.setup(), sent, writes, address: () => router.state.location.href }
}

/** Chooses an option of a combobox by its title. */
export async function choose(user: UserEvent, label: string, option: string): Promise<void> {
  await user.click(screen.getByRole('combobox', { name: label }))
  await user.click(await screen.findByRole('option', { name: option }))
}

function sentOf(address: string, { method = 'GET', body, headers }: RequestInit): Sent {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  const path = pathname.slice(API.length).replace(/\/(\w{3}_\w+)/g, '/{id}')
  return {
    name: `${method} ${NAMES.get(path) ?? path}` as RouteName,
    query: Object.fromEntries(searchParams),
    body: typeof body === 'string' ? JSON.parse(body) : undefined,
    headers: new Headers(headers),
  }
}

/** Routes with an id in their path, as the API names them. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['/members/{id}', '/members/{person}'],
  ['/members/{id}/reset-link', '/members/{person}/reset-link'],
  ['/keys/{id}', '/keys/{key}'],
  ['/keys/{id}/trace', '/keys/{key}/trace'],
  ['/budgets/{id}', '/budgets/{budget}'],
  ['/usage/{id}', '/usage/{request}'],
  ['/traces/{id}', '/traces/{request}'],
])
