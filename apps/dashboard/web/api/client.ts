import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { callApi } from './call.ts'
import { ApiProblem } from './problem.ts'

/** Time during which cached data is shown without another request, in milliseconds. */
const FRESH = 15_000
/** Maximum number of retries after a temporary failure. */
const TRIES = 2

let onSignedOut: () => void = () => {}

/** Sets the handler that runs when the session has ended. */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler
}

function reportSignedOut(error: unknown): void {
  if (error instanceof ApiProblem && error.status === 401) onSignedOut()
}

/** A 401 of a mutation can mean a wrong password, so `GET /me` decides whether the session has ended. */
function checkSession(error: unknown): void {
  if (error instanceof ApiProblem && error.status === 401) callApi('GET /me').catch(reportSignedOut)
}

/** Query client of all pages. */
export const client = new QueryClient({
  // The router handles a 401 of `GET /me`.
  queryCache: new QueryCache({ onError: (error, { queryKey }) => queryKey[0] !== 'me' && reportSignedOut(error) }),
  mutationCache: new MutationCache({ onError: (error) => checkSession(error) }),
  defaultOptions: {
    queries: {
      staleTime: FRESH,
      retry: (count, error) =>
        count < TRIES && (!(error instanceof ApiProblem) || error.status === 0 || error.status >= 502),
    },
  },
})
