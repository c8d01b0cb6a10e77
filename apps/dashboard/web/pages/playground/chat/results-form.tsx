import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { TextArea } from '../../../components/field.tsx'
import type { ResultsTurn, ToolCall } from './conversation.ts'

export interface ResultsFormProps {
  readonly calls: readonly ToolCall[]
  onReply(turn: ResultsTurn): void
}

/** Form for the results of tool calls, which the user types. */
export function ResultsForm({ calls, onReply }: ResultsFormProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  return (
    <form
      className="flex flex-col gap-2 rounded-field border border-line p-3"
      aria-label="Tool results"
      onSubmit={(event) => {
        event.preventDefault()
        onReply({ role: 'results', results: calls.map(({ id, name }) => ({ id, name, text: texts[id] ?? '' })) })
      }}
    >
      {calls.map(({ id, name }) => (
        <TextArea
          key={id}
          label={`Result of ${name}`}
          rows={2}
          spellCheck={false}
          className="font-mono text-small!"
          placeholder='{ "ok": true }'
          value={texts[id] ?? ''}
          onText={(value) => setTexts({ ...texts, [id]: value })}
        />
      ))}
      <Button type="submit" className="self-start">
        Send results
      </Button>
    </form>
  )
}
