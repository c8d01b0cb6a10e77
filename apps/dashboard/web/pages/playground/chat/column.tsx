import { RotateCcw, Square } from 'lucide-react'
import { useId } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Failed, Note } from '../../../components/states.tsx'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import type { ResultsTurn } from './conversation.ts'
import { ResultsForm } from './results-form.tsx'
import { AssistantMessage, TurnView } from './turn-view.tsx'
import type { ModelChat } from './use-chats.ts'

export interface ChatColumnProps {
  readonly model: string
  readonly chat: ModelChat
  readonly isBusy: boolean
  onReply(turn: ResultsTurn): void
  onAgain(): void
  onStop(): void
}

const FINISHES: ReadonlyMap<string, string> = new Map([
  ['length', 'Stopped at max output tokens.'],
  ['content_filter', 'Filtered by the provider.'],
  ['stopped', 'Stopped by you.'],
])

/** Exchange of a refused request, of which the page has no raw data. */
const EMPTY_EXCHANGE = { lost: '', sent: '', received: '' }

/** Conversation with a model, and the details of its last response. */
export function ChatColumn({ model, chat, isBusy, onReply, onAgain, onStop }: ChatColumnProps) {
  const { turns, live, last, exchange, error } = chat
  const heading = useId()
  const end = turns.at(-1)
  const refused =
    error instanceof ApiProblem && error.details.instance !== ''
      ? { requestId: error.details.instance, ...EMPTY_EXCHANGE }
      : undefined
  const finish = last?.finish === undefined ? undefined : FINISHES.get(last.finish)
  return (
    <section aria-labelledby={heading} className="flex min-w-0 flex-col gap-2 rounded-panel border border-line p-3">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <h2 id={heading} className="truncate text-lead font-semibold" title={model}>
          {model}
        </h2>
        {isBusy && (
          <IconButton label={`Stop ${model}`} onClick={onStop}>
            <Square aria-hidden size={14} />
          </IconButton>
        )}
      </div>
      <ExchangeTabs label={`Response of ${model}`} exchange={isBusy ? undefined : (exchange ?? refused)}>
        <div aria-live="off" aria-busy={isBusy} className="flex flex-col gap-3">
          {turns.length === 0 && !isBusy && <p className="text-muted">No messages yet.</p>}
          {turns.map((turn, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end.
            <TurnView key={index} turn={turn} />
          ))}
          {live && <AssistantMessage {...live} isLive />}
          {isBusy && !live && <div role="status" aria-label={`${model} is thinking`} className="skeleton h-5 w-2/3" />}
          {last?.error !== undefined && <Note look="bad">Response incomplete: {last.error}</Note>}
          {finish !== undefined && <Note look="plain">{finish}</Note>}
          {error !== undefined && <Failed error={error} retry={onAgain} />}
          {end?.role === 'assistant' && end.calls.length > 0 && !isBusy && (
            <ResultsForm key={turns.length} calls={end.calls} onReply={onReply} />
          )}
          {end?.role === 'user' && !isBusy && error === undefined && (
            <Button onClick={onAgain} className="self-start">
              <RotateCcw aria-hidden size={14} /> Retry
            </Button>
          )}
        </div>
      </ExchangeTabs>
    </section>
  )
}
