import { QueryClientProvider } from '@tanstack/react-query'
import { type AnyRoute, RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { client, whenSignedOut } from './api/client.ts'
import { meQuery } from './api/me.ts'
import { BASE_PATH } from './app/base.ts'
import { reloadForNewFiles } from './app/new-files.ts'
import { router } from './app/router.ts'
import { keepDrafts } from './components/drafts.ts'
import { toast } from './components/toasts.tsx'
import { forgetSecret } from './secrets/shown-secret.ts'
import { listenToKeys } from './shell/shortcuts.ts'
import { linkAddress } from './view/return.ts'
import { droppedOf } from './view/search.ts'
import './styles/app.css'

const link = linkAddress(location.hash)
if (link !== undefined) history.replaceState(null, '', `${BASE_PATH}${link}`)

reloadForNewFiles()
listenToKeys()

whenSignedOut(() => {
  const { pathname, href } = router.state.location
  if (['/sign-in', '/first', '/reset', '/forgot', '/sign-up', '/invite'].some((path) => pathname.startsWith(path)))
    return
  keepDrafts(client.getQueryData(meQuery.queryKey)?.id, location.pathname)
  client.clear()
  forgetSecret()
  router.navigate({ to: '/sign-in', search: { return: href } }).catch(() => {})
})

const query = location.search
const unsubscribe = router.subscribe('onResolved', () => {
  unsubscribe()
  const dropped = droppedOf(query, router.state.matches.at(-1)?.search ?? {})
  if (dropped.length > 0) toast(`Ignored unknown parameters of the address: ${dropped.join(', ')}.`)
})

const root = document.getElementById('root')
const render = (): void => {
  // As a transition, the first page is rendered in small steps, between which the browser reacts to input.
  if (root)
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <QueryClientProvider client={client}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </StrictMode>,
      ),
    )
}
// The script of the page loads while the user is loaded.
const routes: Readonly<Record<string, AnyRoute>> = router.routesById
for (const { routeId } of router.matchRoutes(router.latestLocation)) {
  const route = routes[routeId]
  // The router reports what could not be loaded when it loads it.
  if (route) router.loadRouteChunk(route)?.catch(() => {})
}
// Until the first page has loaded, the outline of the HTML stays.
router.load().then(render, render)
