import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { callApi } from '../api/call.ts'
import { type LiveTopic, listenToChanges, onLive, TOPICS } from './live.ts'

/** Queries that an event invalidates. The list of requests is not one of them, because it is refreshed on demand. */
const STALE: Readonly<Record<LiveTopic, readonly (readonly string[])[]>> = {
  requests: [['usage', 'series'], ['budgets']],
  keys: [['keys']],
  budgets: [['budgets'], ['alerts']],
  prices: [['prices'], ['models']],
  providers: [['providers'], ['models']],
}
/** Minimum time between two refreshes, in milliseconds. */
const INTERVAL = 1_000

/** Checks the session. A 401 opens the sign-in page, through the query client. */
async function checkSession(client: QueryClient): Promise<void> {
  await client
    .fetchQuery({ queryKey: ['session'], queryFn: () => callApi('GET /me'), staleTime: 0, retry: false })
    .catch(() => {})
}

/** Refreshes the queries that an event affects, at most once a second and only while the page is visible. */
export function useChanges(organization: string | undefined, isAllowed: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!isAllowed || organization === undefined) return undefined
    const changed = new Set<LiveTopic>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = (): void => {
      timer = undefined
      if (document.hidden) return
      for (const topic of changed)
        for (const queryKey of STALE[topic]) client.invalidateQueries({ queryKey: [...queryKey] }).catch(() => {})
      changed.clear()
    }
    const note = (topic: LiveTopic): void => {
      changed.add(topic)
      timer ??= setTimeout(refresh, INTERVAL)
    }
    const ends = [
      ...TOPICS.map((topic) => onLive(topic, () => note(topic))),
      listenToChanges(() => void checkSession(client)),
    ]
    document.addEventListener('visibilitychange', refresh)
    return () => {
      document.removeEventListener('visibilitychange', refresh)
      clearTimeout(timer)
      for (const end of ends) end()
    }
  }, [client, organization, isAllowed])
}
