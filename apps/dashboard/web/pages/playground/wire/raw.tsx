import { useQuery } from '@tanstack/react-query'
import { ApiProblem } from '../../../api/problem.ts'
import type { RecordedCall } from '../../../api/usage.ts'
import { StatusChip } from '../../../components/chip.tsx'
import { Code } from '../../../components/code.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { Failed, Note, Skeleton } from '../../../components/states.tsx'
import { Duration } from '../../../components/values.tsx'
import { count } from '../../../formats/numbers.ts'
import { Fold } from '../panel-fold.tsx'
import { traceQuery } from './requests.ts'

export interface RawProps {
  readonly requestId: string
  /** Data that the page sent and received, shown if no trace is stored. */
  readonly sent: string
  readonly received: string
}

/** Payloads of a request, between caller, gateway and providers. */
export function Raw({ requestId, sent, received }: RawProps) {
  const { data, error, refetch, isPending } = useQuery(traceQuery(requestId))
  const isNotStored = error instanceof ApiProblem && (error.status === 404 || error.status === 403)
  return (
    <div className="flex flex-col gap-3">
      <p className="text-small text-muted">
        Request <CopyId id={requestId} />
      </p>
      {isPending && <Skeleton rows={4} />}
      {error && !isNotStored && <Failed error={error} retry={() => void refetch()} />}
      {data?.calls.map((wire, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are only added at the end.
        <CallDetails key={index} wire={wire} isOpen={index === 0} />
      ))}
      {isNotStored && (
        <>
          <Note look="plain">Provider payloads are not recorded. This is what the page sent and received.</Note>
          <Body title="Request" text={sent} />
          <Body title="Response" text={received} />
        </>
      )}
    </div>
  )
}

function CallDetails({ wire, isOpen }: { readonly wire: RecordedCall; readonly isOpen: boolean }) {
  const { provider, method, url, headers, body, answer, failure, durationMs } = wire
  return (
    <Fold
      isOpen={isOpen}
      title={provider === undefined ? 'Caller → gateway' : `Gateway → ${provider}`}
      note={
        <span className="flex items-center gap-2">
          {answer && <StatusChip status={answer.status} />}
          <Duration ms={Math.round(durationMs)} />
        </span>
      }
    >
      <p className="font-mono text-small wrap-anywhere">
        {method} {url}
      </p>
      <Body title="Request headers" text={linesOf(headers)} />
      <Body title="Request body" {...body} />
      {failure !== undefined && <Note look="bad">{failure}</Note>}
      {answer && (
        <>
          <Body title="Response headers" text={linesOf(answer.headers)} />
          <Body title="Response body" {...answer.body} />
        </>
      )}
    </Fold>
  )
}

interface BodyProps {
  readonly title: string
  readonly text: string
  readonly bytes?: number
  readonly isCut?: boolean
}

function Body({ title, text, bytes, isCut = false }: BodyProps) {
  const about =
    bytes !== undefined && (isCut || text === '') && bytes > 0
      ? `, ${count(bytes)} bytes${isCut ? ', truncated' : ', binary'}`
      : ''
  return (
    <div className="flex flex-col gap-1">
      <p className="text-small font-medium text-muted">
        {title}
        {about}
      </p>
      {text === '' ? (
        <p className="text-small text-muted">empty</p>
      ) : (
        <Code text={readable(text)} label={title} className="max-h-96 overflow-y-auto" />
      )}
    </div>
  )
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Indented JSON. Other text is returned unchanged. */
function readable(text: string): string {
  if (!text.startsWith('{') && !text.startsWith('[')) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
