import { useQuery } from '@tanstack/react-query'
import type { AnswerOf } from '../../../api/ask.ts'
import { Problem } from '../../../api/problem.ts'
import { StatusChip } from '../../../components/chip.tsx'
import { Code } from '../../../components/code.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { Failed, Note, Skeleton } from '../../../components/states.tsx'
import { Duration } from '../../../components/values.tsx'
import { count } from '../../../formats/numbers.ts'
import { Fold } from '../fold.tsx'
import { traceQuery } from './requests.ts'

export interface RawProps {
  readonly requestId: string
  /** What the page itself has sent and got: shown where nothing else is kept. */
  readonly sent: string
  readonly received: string
}

type Wire = AnswerOf<'GET /traces/{request}'>['calls'][number]

/** What went over the wire, of both sides. */
export function Raw({ requestId, sent, received }: RawProps) {
  const { data, error, refetch, isPending } = useQuery(traceQuery(requestId))
  const isNotKept = error instanceof Problem && (error.status === 404 || error.status === 403)
  return (
    <div className="flex flex-col gap-3">
      <p className="text-small text-muted">
        Request <CopyId id={requestId} />
      </p>
      {isPending && <Skeleton rows={4} />}
      {error && !isNotKept && <Failed error={error} retry={() => void refetch()} />}
      {data?.calls.map((wire, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are only added at the end.
        <Side key={index} wire={wire} isOpen={index === 0} />
      ))}
      {isNotKept && (
        <>
          <Note look="plain">Nothing of the provider’s side is kept: this is what the page has sent and got.</Note>
          <Body title="Sent" text={sent} />
          <Body title="Got" text={received} />
        </>
      )}
    </div>
  )
}

function Side({ wire, isOpen }: { readonly wire: Wire; readonly isOpen: boolean }) {
  const { provider, method, url, headers, body, answer, failure, durationMs } = wire
  return (
    <Fold
      isOpen={isOpen}
      title={provider === undefined ? 'You and the gateway' : `The gateway and ${provider}`}
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
      <Body title="Headers sent" text={linesOf(headers)} />
      <Body title="Sent" {...body} />
      {failure !== undefined && <Note look="bad">{failure}</Note>}
      {answer && (
        <>
          <Body title="Headers got" text={linesOf(answer.headers)} />
          <Body title="Got" {...answer.body} />
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
      ? `, ${count(bytes)} bytes${isCut ? ', cut' : ', no text'}`
      : ''
  return (
    <div className="flex flex-col gap-1">
      <p className="text-small font-medium text-muted">
        {title}
        {about}
      </p>
      {text === '' ? (
        <p className="text-small text-muted">nothing</p>
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

/** JSON in lines; what is none as it is. */
function readable(text: string): string {
  if (!text.startsWith('{') && !text.startsWith('[')) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
