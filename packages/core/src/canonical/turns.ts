import { changed, type Loss } from './loss.ts'
import type { ChatRequest, Message } from './request.ts'

/**
 * Splits the system prompt (turns before the first other turn) from the conversation.
 * @example const { system, turns } = splitSystem(request.messages)
 */
export function splitSystem(messages: readonly Message[]): { system: readonly Message[]; turns: readonly Message[] } {
  const first = messages.findIndex((message) => message.role !== 'system')
  return first === -1
    ? { system: messages, turns: [] }
    : { system: messages.slice(0, first), turns: messages.slice(first) }
}

/**
 * System prompt in the middle of a conversation, as text of the user, for models without a better equivalent.
 * @example reminder('Answer in French.')
 */
export function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`
}

/**
 * Declares that a prefilled response becomes a finished turn, for providers that do not continue turns.
 * @example losePrefill(request, losses)
 */
export function losePrefill({ prefilled, messages }: ChatRequest, losses: Loss[]): void {
  if (prefilled)
    changed(
      losses,
      messages.at(-1)?.at ?? 'messages',
      'the provider does not continue turns, so the response is a new turn',
    )
}
