import { createRootRoute, createRoute, lazyRouteComponent, redirect, retainSearchParams } from '@tanstack/react-router'
import { budgetsQuery } from '../api/budgets.ts'
import { client } from '../api/client.ts'
import { lookAt, meQuery } from '../api/me.ts'
import { nowQuery } from '../api/now.ts'
import { currentOrganization } from '../api/organization.ts'
import { ApiProblem } from '../api/problem.ts'
import { BUDGETS_SEARCH } from '../pages/budgets/search.ts'
import { EXPLAIN_SEARCH } from '../pages/explain/search.ts'
import { KEYS_SEARCH } from '../pages/keys/search.ts'
import { MODELS_SEARCH } from '../pages/models/search.ts'
import { NOW_SEARCH } from '../pages/now/search.ts'
import { ORGANIZATION_SEARCH } from '../pages/organization/search.ts'
import { PLAYGROUND_SEARCH } from '../pages/playground/search.ts'
import { PROVIDERS_SEARCH } from '../pages/providers/search.ts'
import { REQUESTS_SEARCH } from '../pages/requests/search.ts'
import { SIGN_IN_SEARCH } from '../pages/sign-in/search.ts'
import { SPEND_SEARCH } from '../pages/spend/search.ts'
import { START_SEARCH } from '../pages/start/search.ts'
import { Shell } from '../shell/shell.tsx'
import { pageSearch, SHARED, type SharedSearch, searchOf } from '../view/search.ts'
import { NotFound, PageFailed, PagePending, Root } from './root.tsx'

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: PageFailed })

const shared: (raw: Readonly<Record<string, unknown>>) => SharedSearch = searchOf(SHARED)

/** Parent of all pages for signed-in users. */
const within = createRoute({
  getParentRoute: () => root,
  id: 'within',
  component: Shell,
  errorComponent: PageFailed,
  pendingComponent: PagePending,
  validateSearch: shared,
  search: {
    middlewares: [retainSearchParams<SharedSearch>(['range', 'zone', 'project', 'environment', 'organization'])],
  },
  async beforeLoad({ search, location }) {
    if (search.organization !== currentOrganization()) {
      lookAt(search.organization)
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
    }
    try {
      await client.ensureQueryData(meQuery)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error
      const isPlain = ['/', '/now'].includes(location.pathname)
      throw redirect({ to: '/sign-in', search: isPlain ? {} : { return: location.href } })
    }
  },
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/now' })
  },
})

const start = createRoute({
  getParentRoute: () => within,
  path: '/start',
  validateSearch: pageSearch(START_SEARCH),
  component: lazyRouteComponent(() => import('../pages/start/page.tsx'), 'StartPage'),
})
const now = createRoute({
  getParentRoute: () => within,
  path: '/now',
  validateSearch: pageSearch(NOW_SEARCH),
  // The data loads while the script of the page does.
  loader: () => void client.prefetchQuery(nowQuery),
  component: lazyRouteComponent(() => import('../pages/now/page.tsx'), 'NowPage'),
})
const spend = createRoute({
  getParentRoute: () => within,
  path: '/spend',
  validateSearch: pageSearch(SPEND_SEARCH),
  component: lazyRouteComponent(() => import('../pages/spend/page.tsx'), 'SpendPage'),
})
const overview = createRoute({
  getParentRoute: () => within,
  path: '/overview',
  validateSearch: pageSearch({}),
  beforeLoad: () => {
    throw redirect({ to: '/spend' })
  },
})
const explain = createRoute({
  getParentRoute: () => within,
  path: '/explain',
  validateSearch: pageSearch(EXPLAIN_SEARCH),
  component: lazyRouteComponent(() => import('../pages/explain/page.tsx'), 'ExplainPage'),
})
const requests = createRoute({
  getParentRoute: () => within,
  path: '/requests',
  validateSearch: pageSearch(REQUESTS_SEARCH),
  component: lazyRouteComponent(() => import('../pages/requests/page.tsx'), 'RequestsPage'),
})
const playground = createRoute({
  getParentRoute: () => within,
  path: '/playground',
  validateSearch: pageSearch(PLAYGROUND_SEARCH),
  component: lazyRouteComponent(() => import('../pages/playground/page.tsx'), 'PlaygroundPage'),
})
const keys = createRoute({
  getParentRoute: () => within,
  path: '/keys',
  validateSearch: pageSearch(KEYS_SEARCH),
  component: lazyRouteComponent(() => import('../pages/keys/page.tsx'), 'KeysPage'),
})
const budgets = createRoute({
  getParentRoute: () => within,
  path: '/budgets',
  validateSearch: pageSearch(BUDGETS_SEARCH),
  loader: () => void client.prefetchQuery(budgetsQuery),
  component: lazyRouteComponent(() => import('../pages/budgets/page.tsx'), 'BudgetsPage'),
})
const models = createRoute({
  getParentRoute: () => within,
  path: '/models',
  validateSearch: pageSearch(MODELS_SEARCH),
  component: lazyRouteComponent(() => import('../pages/models/page.tsx'), 'ModelsPage'),
})
const providers = createRoute({
  getParentRoute: () => within,
  path: '/providers',
  validateSearch: pageSearch(PROVIDERS_SEARCH),
  component: lazyRouteComponent(() => import('../pages/providers/page.tsx'), 'ProvidersPage'),
})
const organization = createRoute({
  getParentRoute: () => within,
  path: '/organization',
  validateSearch: pageSearch(ORGANIZATION_SEARCH),
  component: lazyRouteComponent(() => import('../pages/organization/page.tsx'), 'OrganizationPage'),
})

const account = createRoute({
  getParentRoute: () => within,
  path: '/account',
  validateSearch: pageSearch({}),
  component: lazyRouteComponent(() => import('../pages/account/page.tsx'), 'AccountPage'),
})

const entrance = { getParentRoute: () => root, validateSearch: searchOf(SIGN_IN_SEARCH) } as const
const signIn = createRoute({
  ...entrance,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/page.tsx'), 'SignInPage'),
})
const signInOidc = createRoute({
  ...entrance,
  path: '/sign-in/oidc',
  component: lazyRouteComponent(() => import('../pages/sign-in/oidc-return.tsx'), 'OidcReturnPage'),
})
const first = createRoute({
  ...entrance,
  path: '/first',
  component: lazyRouteComponent(() => import('../pages/sign-in/first.tsx'), 'FirstPage'),
})
const reset = createRoute({
  ...entrance,
  path: '/reset',
  component: lazyRouteComponent(() => import('../pages/sign-in/reset.tsx'), 'ResetPage'),
})
const forgot = createRoute({
  ...entrance,
  path: '/forgot',
  component: lazyRouteComponent(() => import('../pages/sign-in/forgot.tsx'), 'ForgotPage'),
})
const signUp = createRoute({
  ...entrance,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-up.tsx'), 'SignUpPage'),
})
const invite = createRoute({
  ...entrance,
  path: '/invite',
  component: lazyRouteComponent(() => import('../pages/sign-in/invite.tsx'), 'InvitePage'),
})

export const routeTree = root.addChildren([
  home,
  within.addChildren([
    ...[start, now, spend, overview, explain, requests, playground],
    ...[keys, budgets, models, providers, organization, account],
  ]),
  ...[signIn, signInOidc, first, reset, forgot, signUp, invite],
])
