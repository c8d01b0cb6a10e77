import type { Format } from '../canonical/format.ts'
import { chatCompletions } from './chat-completions/index.ts'
import { completions } from './completions/index.ts'
import { generateContent } from './generate-content/index.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'

const TRANSLATED = [chatCompletions, messages, generateContent, responses]

/** Formats that are translated into each other, by id. */
export const formats: ReadonlyMap<string, Format> = new Map(TRANSLATED.map((format) => [format.id, format]))

/** Formats that a provider can declare by id: {@link formats} and legacy completions. */
export const wires: ReadonlyMap<string, Format> = new Map(
  [...TRANSLATED, completions].map((format) => [format.id, format]),
)
