import { Wrench } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Code } from '../../../components/code.tsx'
import { AnswerFoot } from './answer-foot.tsx'
import { type AssistantTurn, type ChatTurn, dataUrl, isImage } from './conversation.ts'

const Markdown = lazy(() => import('./markdown.tsx').then(({ Markdown: component }) => ({ default: component })))

/** Turn of a conversation. */
export function TurnView({ turn }: { readonly turn: ChatTurn }) {
  if (turn.role === 'assistant')
    return (
      <div className="flex flex-col gap-1">
        <AssistantMessage {...turn} />
        {turn.facts && <AnswerFoot facts={turn.facts} />}
      </div>
    )
  if (turn.role === 'results')
    return (
      <div className="flex flex-col gap-2">
        {turn.results.map(({ id, name, text }) => (
          <Code key={id} text={text} label={`Result of ${name}`} />
        ))}
      </div>
    )
  const { text, files } = turn
  return (
    <div className="rounded-field bg-sunken px-3 py-2">
      <p className="sr-only">You said</p>
      {files.map((file) =>
        isImage(file) ? (
          <img
            key={file.data.length + file.name}
            src={dataUrl(file)}
            alt={file.name}
            className="mb-2 max-h-40 max-w-full rounded-field"
          />
        ) : (
          <p key={file.data.length + file.name} className="mb-1 text-small text-muted">
            {file.name}
          </p>
        ),
      )}
      <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
    </div>
  )
}

/** Message of a model: reasoning, text and tool calls. */
export function AssistantMessage({
  text,
  reasoning,
  calls,
  isLive = false,
}: Omit<AssistantTurn, 'role' | 'thoughts'> & { readonly isLive?: boolean }) {
  return (
    <div className="flex flex-col gap-2">
      {reasoning !== '' && (
        <details open={isLive && text === ''} className="rounded-field border border-line">
          <summary className="px-3 py-1.5 text-small font-medium text-muted">Reasoning</summary>
          <p className="px-3 pb-2 text-small wrap-anywhere whitespace-pre-wrap text-muted">{reasoning}</p>
        </details>
      )}
      {text !== '' && (
        <Suspense fallback={<p className="wrap-anywhere whitespace-pre-wrap">{text}</p>}>
          <Markdown text={text} />
        </Suspense>
      )}
      {calls.map(({ id, name, arguments: given }) => (
        <div key={id} className="flex flex-col gap-1">
          <p className="flex items-center gap-1.5 text-small font-medium">
            <Wrench aria-hidden size={14} /> Calls {name}
          </p>
          <Code text={given === '' ? '{}' : given} label={`Arguments of ${name}`} />
        </div>
      ))}
    </div>
  )
}
