import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ask } from './ask.ts'
import { Problem } from './problem.ts'

/** How long what was read counts as new, in milliseconds: a page that is opened again shows it at once. */
const FRESH = 15_000
/** Most tries after one that has failed for reasons that pass. */
const TRIES = 2

let onSignedOut: () => void = () => {}

/** Says what happens when a session is over. */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler
}

function noticed(error: unknown): void {
  if (error instanceof Problem && error.status === 401) onSignedOut()
}

/** What somebody does may be refused for a password that they typed: whether their session is over is asked for. */
function doubted(error: unknown): void {
  if (error instanceof Problem && error.status === 401) ask('GET /me').catch(noticed)
}

/** What is known of the gateway, for all pages. */
export const client = new QueryClient({
  // Whether anybody is signed in at all is the way in's to ask.
  queryCache: new QueryCache({ onError: (error, { queryKey }) => queryKey[0] !== 'me' && noticed(error) }),
  mutationCache: new MutationCache({ onError: (error) => doubted(error) }),
  defaultOptions: {
    queries: {
      staleTime: FRESH,
      retry: (count, error) =>
        count < TRIES && (!(error instanceof Problem) || error.status === 0 || error.status >= 502),
    },
  },
})
