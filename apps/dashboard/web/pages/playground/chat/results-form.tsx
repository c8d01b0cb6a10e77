import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { TextArea } from '../../../components/field.tsx'
import type { ResultsTurn, ToolCall } from './conversation.ts'

export interface ResultsFormProps {
  readonly calls: readonly ToolCall[]
  onReply(turn: ResultsTurn): void
}

/** What the tools answer that a model has called: somebody stands in for them. */
export function ResultsForm({ calls, onReply }: ResultsFormProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  return (
    <form
      className="flex flex-col gap-2 rounded-field border border-line p-3"
      aria-label="Answers of tools"
      onSubmit={(event) => {
        event.preventDefault()
        onReply({ role: 'results', results: calls.map(({ id, name }) => ({ id, name, text: texts[id] ?? '' })) })
      }}
    >
      {calls.map(({ id, name }) => (
        <TextArea
          key={id}
          label={`What ${name} answers`}
          rows={2}
          spellCheck={false}
          className="font-mono text-small!"
          placeholder='{ "ok": true }'
          value={texts[id] ?? ''}
          onText={(value) => setTexts({ ...texts, [id]: value })}
        />
      ))}
      <Button type="submit" className="self-start">
        Answer
      </Button>
    </form>
  )
}
