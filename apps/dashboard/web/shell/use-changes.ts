import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ask } from '../api/ask.ts'
import { listenToChanges, onLive, TOPICS, type Topic } from './live.ts'

/** Which queries a change makes old. The list of requests is not among them: new rows wait until they are asked for. */
const OLD: Readonly<Record<Topic, readonly (readonly string[])[]>> = {
  requests: [['usage', 'series'], ['budgets']],
  keys: [['keys']],
  budgets: [['budgets'], ['alerts']],
  prices: [['prices'], ['models']],
  providers: [['providers'], ['models']],
}
/** At most so often, in milliseconds. */
const EVERY = 1_000

/** Whether there still is a session: where it is over, who hears of it leads to the sign-in. */
async function checkSession(client: QueryClient): Promise<void> {
  await client
    .fetchQuery({ queryKey: ['session'], queryFn: () => ask('GET /me'), staleTime: 0, retry: false })
    .catch(() => {})
}

/** Has what is shown be read anew when it changes: at most once a second, and not while nobody looks. */
export function useChanges(organization: string | undefined, isAllowed: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!isAllowed || organization === undefined) return undefined
    const changed = new Set<Topic>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = (): void => {
      timer = undefined
      if (document.hidden) return
      for (const topic of changed)
        for (const queryKey of OLD[topic]) client.invalidateQueries({ queryKey: [...queryKey] }).catch(() => {})
      changed.clear()
    }
    const note = (topic: Topic): void => {
      changed.add(topic)
      timer ??= setTimeout(refresh, EVERY)
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
