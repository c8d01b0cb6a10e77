import { assemble } from '../../../src/canonical/assemble.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Part } from '../../../src/canonical/part.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

/** Chunks of a stream as the vendor documents them, and what is read of them. */
export const chunk = (choice: Json | undefined, more: Json = {}): Json => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [],
  ...more,
})
export const delta = (fields: Json): Json => chunk({ delta: fields })
export const calls = (...fragments: Json[]): Json => delta({ tool_calls: fragments })
export const end = (finish_reason = 'stop'): Json => chunk({ delta: {}, finish_reason })

export function read(...chunks: (Json | string)[]): Part[] {
  const reader = chatCompletions.readStream()
  const parts = chunks.flatMap((data) => reader.push({ data: typeof data === 'string' ? data : JSON.stringify(data) }))
  return [...parts, ...reader.end()]
}

export const blocksOf = (...chunks: (Json | string)[]) => assemble(read(...chunks)).choices[0]?.blocks
