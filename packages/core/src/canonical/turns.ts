import { changed, type Loss } from './loss.ts'
import type { ChatRequest, Message } from './request.ts'

/** The system prompt, which is what stands before the first other turn, and the turns of the conversation. */
export function splitSystem(messages: readonly Message[]): { system: readonly Message[]; turns: readonly Message[] } {
  const first = messages.findIndex((message) => message.role !== 'system')
  return first === -1
    ? { system: messages, turns: [] }
    : { system: messages.slice(0, first), turns: messages.slice(first) }
}

/** A system prompt in the midst of the conversation, as text of the user's where the model takes no other. */
export function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`
}

/** Declares that the beginning of the answer becomes a finished turn, where the provider continues none. */
export function losePrefill({ prefilled, messages }: ChatRequest, losses: Loss[]): void {
  if (prefilled)
    changed(losses, messages.at(-1)?.at ?? 'messages', 'the provider continues no turn: the answer is another turn')
}
