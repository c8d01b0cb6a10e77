import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Money } from '../../../components/values.tsx'
import { nanosOf } from '../../../formats/money.ts'
import { call, isRecord, listOf, type ModelCall } from '../wire/call.ts'
import type { PlaygroundRequest } from './conversation.ts'
import { CHAT_WIRES } from './send.ts'

/** Pause in typing before a dry run is sent, in milliseconds. */
const PAUSE = 700
/** Maximum length of a body for a dry run, in characters. */
const LONGEST = 200_000

export interface CostBoundProps {
  readonly requests: readonly PlaygroundRequest[]
  readonly project: string | undefined
}

/** Worst-case cost of the next message for all models, from a dry run. */
export function CostBound({ requests, project }: CostBoundProps) {
  const bodies = useSettled(
    requests.map((request) => {
      const whole = { ...request, streams: false }
      const { pathOf, body } = CHAT_WIRES[request.format]
      return `${pathOf(whole)} ${JSON.stringify(body(whole))}`
    }),
  )
  const results = useQueries({
    queries: bodies.map((request) => ({
      queryKey: ['playground', 'bound', project, request],
      queryFn: ({ signal }: { signal: AbortSignal }) => boundOf({ ...partsOf(request), project, signal }),
      enabled: request.length < LONGEST,
      retry: false,
      staleTime: 60_000,
      gcTime: 60_000,
    })),
  })
  if (bodies.length === 0 || results.some(({ isPending }) => isPending)) return null
  const bounds = results.map(({ data }) => data)
  const known = bounds.filter((bound) => typeof bound === 'string')
  if (known.length < bounds.length)
    return <>Worst-case cost unknown. Set max output tokens, or a price for the model.</>
  return (
    <>
      Costs up to <Money nanos={known.reduce((sum, one) => sum + BigInt(one), 0n)} />
    </>
  )
}

/** Worst-case cost of the first candidate in nano-dollars; null = unknown. */
async function boundOf(request: Pick<ModelCall, 'path' | 'body' | 'project' | 'signal'>): Promise<string | null> {
  const headers = { 'headgate-dry-run': 'true' }
  const response = await call({ method: 'POST', headers, ...request })
  const answer: unknown = await response.json()
  const first = isRecord(answer) ? listOf(answer['candidates'])[0] : undefined
  const bound = isRecord(first) ? first['bound'] : undefined
  return typeof bound === 'string' ? (nanosOf(bound, ['en']) ?? null) : null
}

/** Path and body of a request that are separated by a space. Paths have none. */
function partsOf(request: string): Pick<ModelCall, 'path'> & { readonly body: string } {
  const end = request.indexOf(' ')
  return { path: request.slice(0, end), body: request.slice(end + 1) }
}

function useSettled(bodies: readonly string[]): readonly string[] {
  const [settled, settle] = useState<readonly string[]>([])
  const key = bodies.join('\n')
  useEffect(() => {
    const timer = setTimeout(() => settle(key === '' ? [] : key.split('\n')), PAUSE)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}
