import type { KitFormat } from '../meaning.ts'
import { chatCompletions } from './chat-completions.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import type { Wire } from './wire.ts'

export type { Wire } from './wire.ts'

/** Readers of each format. */
export const wires: Readonly<Record<KitFormat, Wire>> = {
  'chat-completions': chatCompletions,
  messages,
  'generate-content': generateContent,
  responses,
}
