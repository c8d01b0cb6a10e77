import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { problemOf } from '../../api/problem.ts'
import type { RecordedCall, RequestDetails } from '../../api/usage.ts'
import { gatewayUrl } from '../../app/base.ts'
import { Button } from '../../components/button.tsx'
import { StatusChip } from '../../components/chip.tsx'
import { Code } from '../../components/code.tsx'
import { useCopied } from '../../components/copy.tsx'
import { Part } from '../../components/page.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'
import { handOver } from '../../replay/handed-over.ts'
import { recordedChat } from '../../replay/recorded-chat.ts'
import { recordedCurl } from './curl.ts'

/** Time for which payloads are stored, in milliseconds. */
const KEPT_MS = 24 * 3_600_000

export interface PayloadProps {
  readonly row: Pick<RequestDetails, 'requestId' | 'at'>
  /** Current time in Unix milliseconds. */
  readonly now: number
}

/** Recorded payload of a request. It is loaded on a click, because the audit log records each access. */
export function Payload({ row: { requestId: request, at }, now }: PayloadProps) {
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
      {!isRequested &&
        (now - at > KEPT_MS ? (
          <p className="text-muted">Payloads are deleted after 24 hours.</p>
        ) : (
          <Button onClick={() => setRequested(true)}>Show payload</Button>
        ))}
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

function CallText({ call }: { readonly call: RecordedCall }) {
  const { provider, method, url, headers, body, answer, failure } = call
  const title = provider === undefined ? 'Caller → gateway' : `Gateway → ${provider}`
  const [isCopied, copy] = useCopied()
  return (
    <details className="mb-2 rounded-field border border-line">
      <summary className="flex min-h-8 flex-wrap items-center gap-2 px-3 py-1 pointer-coarse:min-h-11">
        {title} {answer && <StatusChip status={answer.status} />}{' '}
        {failure !== undefined && <span className="text-bad">{failure}</span>}
      </summary>
      <div className="flex flex-col items-start gap-2 p-3 pt-0">
        {provider === undefined && !body.isCut && (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => copy(recordedCurl(gatewayUrl(), call))}>
              {isCopied ? 'Copied' : 'Copy this request as curl'}
            </Button>
            <ReplayButton call={call} />
          </div>
        )}
        <Code label="Request" text={`${method} ${url}\n${linesOf(headers)}\n\n${textOf(body)}`} />
        {answer && (
          <Code label="Response" text={`${answer.status}\n${linesOf(answer.headers)}\n\n${textOf(answer.body)}`} />
        )}
      </div>
    </details>
  )
}

/** Button that opens a recorded chat request in the playground, where it can be changed and sent again. */
function ReplayButton({ call }: { readonly call: RecordedCall }) {
  const navigate = useNavigate()
  const mayPlay = useMay('playground.use') !== undefined
  const chat = recordedChat(call)
  if (!mayPlay || !chat) return null
  const open = (): void => {
    handOver(chat)
    void navigate({ to: '/playground', search: { kind: 'chat', models: chat.model } })
  }
  return <Button onClick={open}>Open this request in the playground</Button>
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Text of a body. JSON is indented. */
function textOf({ text, bytes, isCut }: RecordedCall['body']): string {
  if (text === '') return bytes === 0 ? '' : `(${count(bytes)} bytes of binary data)`
  if (!isCut) return indented(text)
  return `${text}\n… (${count(bytes)} bytes in total)`
}

function indented(text: string): string {
  // Long numbers would be rounded.
  if (!/^\s*[[{]/.test(text) || /\d{16}/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
