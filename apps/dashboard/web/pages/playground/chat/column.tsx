import { RotateCcw, Square } from 'lucide-react'
import { useId } from 'react'
import { Problem } from '../../../api/problem.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Failed, Note } from '../../../components/states.tsx'
import { Duration } from '../../../components/values.tsx'
import { counted } from '../../../formats/numbers.ts'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import type { ResultsTurn } from './conversation.ts'
import { ResultsForm } from './results-form.tsx'
import { Said, TurnView } from './turn-view.tsx'
import type { Chat } from './use-chats.ts'

export interface ColumnProps {
  readonly model: string
  readonly chat: Chat
  readonly isBusy: boolean
  onReply(turn: ResultsTurn): void
  onAgain(): void
  onStop(): void
}

const FINISHES: ReadonlyMap<string, string> = new Map([
  ['length', 'It ended at the limit of tokens.'],
  ['content_filter', 'The provider has filtered it.'],
  ['stopped', 'You have stopped it.'],
])

/** What the page has kept of a request that was refused. */
const NOTHING = { lost: '', sent: '', received: '' }

/** One model: its conversation, and what there is to know of its last answer. */
export function Column({ model, chat, isBusy, onReply, onAgain, onStop }: ColumnProps) {
  const { turns, live, last, exchange, error } = chat
  const heading = useId()
  const end = turns.at(-1)
  const refused =
    error instanceof Problem && error.details.instance !== ''
      ? { requestId: error.details.instance, ...NOTHING }
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
      <ExchangeTabs label={`About the answer of ${model}`} exchange={isBusy ? undefined : (exchange ?? refused)}>
        <div aria-live="off" aria-busy={isBusy} className="flex flex-col gap-3">
          {turns.length === 0 && !isBusy && <p className="text-muted">Nothing was asked yet.</p>}
          {turns.map((turn, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end.
            <TurnView key={index} turn={turn} />
          ))}
          {live && <Said {...live} isLive />}
          {isBusy && !live && <div role="status" aria-label={`${model} is thinking`} className="skeleton h-5 w-2/3" />}
          {last?.error !== undefined && <Note look="bad">The answer broke off: {last.error}</Note>}
          {finish !== undefined && <Note look="plain">{finish}</Note>}
          {error !== undefined && <Failed error={error} retry={onAgain} />}
          {end?.role === 'assistant' && end.calls.length > 0 && !isBusy && (
            <ResultsForm key={turns.length} calls={end.calls} onReply={onReply} />
          )}
          {exchange && !isBusy && (
            <p className="flex flex-wrap items-center gap-x-3 text-small text-muted">
              <span>{exchange.provider}</span>
              {exchange.firstMs !== undefined && (
                <span>
                  first piece <Duration ms={Math.round(exchange.firstMs)} />
                </span>
              )}
              <span>
                all <Duration ms={Math.round(exchange.allMs)} />
              </span>
              {last?.usage && (
                <span>
                  {counted(last.usage.input, 'token')} in, {counted(last.usage.output, 'token')} out
                </span>
              )}
              {exchange.isEstimated && <span>estimated</span>}
            </p>
          )}
          {end?.role === 'user' && !isBusy && error === undefined && (
            <Button onClick={onAgain} className="self-start">
              <RotateCcw aria-hidden size={14} /> Ask again
            </Button>
          )}
        </div>
      </ExchangeTabs>
    </section>
  )
}
