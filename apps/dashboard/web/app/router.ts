import { createRouter } from '@tanstack/react-router'
import { parseSearch, writeSearch } from '../view/search.ts'
import { BASE_PATH } from './base.ts'
import { routeTree } from './routes.ts'

export const router = createRouter({
  routeTree,
  basepath: `${BASE_PATH}/`,
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  // The query client caches the data.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
