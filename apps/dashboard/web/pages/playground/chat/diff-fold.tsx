import { lazy, Suspense } from 'react'
import { Fold } from '../panel-fold.tsx'
import type { ModelChat } from './use-chats.ts'

const AnswersDiff = lazy(() => import('./answers-diff.tsx').then(({ AnswersDiff: diff }) => ({ default: diff })))

interface DiffFoldProps {
  readonly models: readonly string[]
  readonly chats: Readonly<Record<string, ModelChat>>
}

/** Differences of the last responses of two models, once there are two. */
export function DiffFold({ models, chats }: DiffFoldProps) {
  const answers = models.flatMap((model) => {
    const { turns = [], isBusy = false } = chats[model] ?? {}
    const last = turns.at(-1)
    return last?.role === 'assistant' && last.text !== '' && !isBusy ? [{ model, text: last.text }] : []
  })
  if (answers.length < 2) return null
  return (
    <Fold title="Differences" note={answers.length === 2 ? answers.map(({ model }) => model).join(' · ') : undefined}>
      <Suspense fallback={<p className="text-muted">Comparing…</p>}>
        <AnswersDiff answers={answers} />
      </Suspense>
    </Fold>
  )
}
