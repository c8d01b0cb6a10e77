import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Money } from '../../../components/values.tsx'
import { nanosOf } from '../../../formats/money.ts'
import { type Call, call, isRecord, listOf } from '../wire/call.ts'
import { ASKING } from './ask.ts'
import type { ChatRequest } from './conversation.ts'

/** How long nothing is typed before it is asked, in milliseconds. */
const PAUSE = 700
/** Longest body that is sent only to know what it may cost, in characters. */
const LONGEST = 200_000

export interface BoundProps {
  readonly requests: readonly ChatRequest[]
  readonly project: string | undefined
}

/** The most that the next message can cost, of all models together: by a dry run, which asks nobody. */
export function Bound({ requests, project }: BoundProps) {
  const bodies = useSettled(
    requests.map((request) => JSON.stringify(ASKING[request.format].body({ ...request, streams: false }))),
  )
  const { path } = ASKING[requests[0]?.format ?? 'chat-completions']
  const found = useQueries({
    queries: bodies.map((body) => ({
      queryKey: ['playground', 'bound', project, path, body],
      queryFn: ({ signal }: { signal: AbortSignal }) => boundOf({ path, body, project, signal }),
      enabled: body.length < LONGEST,
      retry: false,
      staleTime: 60_000,
      gcTime: 60_000,
    })),
  })
  if (bodies.length === 0 || found.some(({ isPending }) => isPending)) return null
  const bounds = found.map(({ data }) => data)
  const known = bounds.filter((bound) => typeof bound === 'string')
  if (known.length < bounds.length) return <>No upper bound of the cost: set a limit of tokens, or a price.</>
  return (
    <>
      Costs at most <Money nanos={known.reduce((sum, one) => sum + BigInt(one), 0n)} />
    </>
  )
}

/** Nano-dollars of the one that would be asked first; null = nobody knows. */
async function boundOf(asked: Pick<Call, 'path' | 'body' | 'project' | 'signal'>): Promise<string | null> {
  const headers = { 'headgate-dry-run': 'true' }
  const response = await call({ method: 'POST', headers, ...asked })
  const answer: unknown = await response.json()
  const first = isRecord(answer) ? listOf(answer['candidates'])[0] : undefined
  const bound = isRecord(first) ? first['bound'] : undefined
  return typeof bound === 'string' ? (nanosOf(bound) ?? null) : null
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
