import type { Format } from '../canonical/format.ts'
import { chatCompletions } from './chat-completions/index.ts'
import { generateContent } from './generate-content/index.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'

/** The formats that the gateway speaks, by id. */
export const formats: ReadonlyMap<string, Format> = new Map(
  [chatCompletions, messages, generateContent, responses].map((format) => [format.id, format]),
)
