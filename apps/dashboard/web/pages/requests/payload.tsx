import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { problemOf } from '../../api/problem.ts'
import type { RecordedCall } from '../../api/usage.ts'
import { Button } from '../../components/button.tsx'
import { StatusChip } from '../../components/chip.tsx'
import { Code } from '../../components/code.tsx'
import { Part } from '../../components/page.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'

/** Recorded payload of a request. It is loaded on a click, because the audit log records each access. */
export function Payload({ request }: { readonly request: string }) {
  const mayRead = useMay('traces.read') !== undefined
  const [isRequested, setRequested] = useState(false)
  const { data, error, isLoading } = useQuery({
    queryKey: ['trace', request],
    queryFn: ({ signal }) => callApi('GET /traces/{request}', { signal, params: { request } }),
    enabled: isRequested,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!mayRead) return null
  return (
    <Part title="Payload">
      {!isRequested && <Button onClick={() => setRequested(true)}>Show payload</Button>}
      {isLoading && <Skeleton rows={3} />}
      {error &&
        (problemOf(error).status === 404 ? (
          <p className="text-muted">
            Payload not recorded. Payloads are recorded for playground requests, and for keys with tracing, for 24
            hours.
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

function CallText({
  call: { provider, method, url, headers, body, answer, failure },
}: {
  readonly call: RecordedCall
}) {
  const title = provider === undefined ? 'Caller → gateway' : `Gateway → ${provider}`
  return (
    <details className="mb-2 rounded-field border border-line">
      <summary className="flex min-h-8 flex-wrap items-center gap-2 px-3 py-1 pointer-coarse:min-h-11">
        {title} {answer && <StatusChip status={answer.status} />}{' '}
        {failure !== undefined && <span className="text-bad">{failure}</span>}
      </summary>
      <div className="flex flex-col gap-2 p-3 pt-0">
        <Code label="Request" text={`${method} ${url}\n${linesOf(headers)}\n\n${textOf(body)}`} />
        {answer && (
          <Code label="Response" text={`${answer.status}\n${linesOf(answer.headers)}\n\n${textOf(answer.body)}`} />
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

function textOf({ text, bytes, isCut }: RecordedCall['body']): string {
  if (text === '') return bytes === 0 ? '' : `(${count(bytes)} bytes of binary data)`
  return isCut ? `${text}\n… (${count(bytes)} bytes in total)` : text
}
