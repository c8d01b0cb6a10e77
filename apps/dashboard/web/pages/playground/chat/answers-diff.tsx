import { useMemo, useState } from 'react'
import { SelectField } from '../../../components/field.tsx'
import { type DiffPart, diffOf } from './text-diff.ts'

/** Last response of a model. */
export interface Answer {
  readonly model: string
  readonly text: string
}

/** Two responses as one text, with marks where only one of them has a word. */
export function AnswersDiff({ answers }: { readonly answers: readonly Answer[] }) {
  const [chosen, setChosen] = useState<{ readonly first?: string; readonly second?: string }>({})
  const first = answers.find(({ model }) => model === chosen.first) ?? answers[0]
  const others = answers.filter((one) => one !== first)
  const second = others.find(({ model }) => model === chosen.second) ?? others[0]
  const parts = useMemo(() => first && second && diffOf(first.text, second.text), [first, second])
  if (!first || !second) return null
  const choicesOf = (models: readonly Answer[]) => models.map(({ model }) => ({ value: model, title: model }))
  return (
    <>
      <div className="grid max-w-120 grid-cols-2 gap-2">
        <SelectField
          label="First response"
          choices={choicesOf(answers)}
          value={first.model}
          onPick={(model) => setChosen({ first: model })}
        />
        <SelectField
          label="Second response"
          choices={choicesOf(others)}
          value={second.model}
          onPick={(model) => setChosen({ first: first.model, second: model })}
        />
      </div>
      {parts ? (
        <section aria-label={`Differences of ${first.model} and ${second.model}`}>
          {parts.every((part) => part.in === 'both') && <p className="mb-2 text-muted">The responses are equal.</p>}
          <p className="wrap-anywhere whitespace-pre-wrap">
            {parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a difference have no other identity.
              <Part key={index} part={part} />
            ))}
          </p>
        </section>
      ) : (
        <p className="text-muted">The responses are too long, or differ in too many words, to be compared.</p>
      )}
    </>
  )
}

function Part({ part }: { readonly part: DiffPart }) {
  if (part.in === 'first') return <del className="bg-bad-tint text-bad">{part.text}</del>
  if (part.in === 'second') return <ins className="bg-good-tint text-good">{part.text}</ins>
  return <>{part.text}</>
}
