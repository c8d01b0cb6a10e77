import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, ask } from '../../api/ask.ts'
import { useMay } from '../../api/me.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../components/button.tsx'
import { StatusChip } from '../../components/chip.tsx'
import { Code } from '../../components/code.tsx'
import { Part } from '../../components/page.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'

type Call = AnswerOf<'GET /traces/{request}'>['calls'][number]

/** What went over the wire, where that is kept: asked for by a click, since reading it is written down. */
export function Wire({ request }: { readonly request: string }) {
  const mayRead = useMay('traces.read') !== undefined
  const [isAsked, setAsked] = useState(false)
  const { data, error, isLoading } = useQuery({
    queryKey: ['trace', request],
    queryFn: ({ signal }) => ask('GET /traces/{request}', { signal, params: { request } }),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!mayRead) return null
  return (
    <Part title="On the wire">
      {!isAsked && <Button onClick={() => setAsked(true)}>Show what was sent and answered</Button>}
      {isLoading && <Skeleton rows={3} />}
      {error &&
        (problemOf(error).status === 404 ? (
          <p className="text-muted">
            Nothing of it is kept. What the playground asks is kept for 24 hours, and that of keys for which an admin
            switches it on.
          </p>
        ) : (
          <Failed error={error} />
        ))}
      {data?.calls.map((call) => (
        <CallText key={`${call.provider ?? ''} ${call.startedAt} ${call.url}`} call={call} />
      ))}
    </Part>
  )
}

function CallText({ call: { provider, method, url, headers, body, answer, failure } }: { readonly call: Call }) {
  const title = provider === undefined ? 'The caller asked' : `${provider} was asked`
  return (
    <details className="mb-2 rounded-field border border-line">
      <summary className="flex min-h-8 flex-wrap items-center gap-2 px-3 py-1 pointer-coarse:min-h-11">
        {title} {answer && <StatusChip status={answer.status} />}{' '}
        {failure !== undefined && <span className="text-bad">{failure}</span>}
      </summary>
      <div className="flex flex-col gap-2 p-3 pt-0">
        <Code label="Request" text={`${method} ${url}\n${linesOf(headers)}\n\n${textOf(body)}`} />
        {answer && (
          <Code label="Answer" text={`${answer.status}\n${linesOf(answer.headers)}\n\n${textOf(answer.body)}`} />
        )}
      </div>
    </details>
  )
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function textOf({ text, bytes, isCut }: Call['body']): string {
  if (text === '') return bytes === 0 ? '' : `(${count(bytes)} bytes that are no text)`
  return isCut ? `${text}\n… (${count(bytes)} bytes in all)` : text
}
