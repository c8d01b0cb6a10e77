import type { Block, TextBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, under, writeSide } from '../../chat/loss.ts'
import type { ChatRequest, Message } from '../../chat/request.ts'
import type { Draft } from './draft.ts'

/** Consecutive messages of one role, which the format takes as one. */
export interface Turn {
  readonly role: Message['role']
  readonly blocks: Block[]
  /** Fields of the turn beside role and content. */
  readonly fields: Json
}

export interface Conversation {
  /** Blocks of the system prompt: what stands before the first turn. */
  readonly system: Block[]
  readonly turns: Turn[]
}

/**
 * The messages as turns. System turns within the conversation stay where the model allows them, which is after a user turn and
 * before an assistant turn or the end: one that stands before the user turn it is followed by moves behind it. To other models
 * they are a reminder within the user turn, so that the prompt before them stays as it was.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
export function turnsOf(request: ChatRequest, draft: Draft): Conversation {
  const system: Block[] = []
  const turns: Turn[] = []
  const inPlace = draft.model.midSystem && !draft.target.facts?.plainSystem
  let waiting: Message[] = []
  const settle = (): void => {
    if (waiting.length === 0) return
    if (turns.at(-1)?.role === 'user') for (const message of waiting) add(turns, message, draft)
    else for (const message of waiting) remind(turns, message, draft)
    waiting = []
  }
  for (const message of request.messages) {
    if (message.name !== undefined) dropped(draft.losses, under(message, 'name'), 'messages have no name in the messages format')
    if (message.role === 'system' && turns.length === 0) {
      system.push(...message.blocks)
      loseFields(message, draft)
    } else if (message.role !== 'system') {
      if (message.role === 'assistant') settle()
      else for (const held of waiting) changed(draft.losses, held.at, 'moved behind the user turn that follows it')
      add(turns, message, draft)
    } else if (inPlace) waiting.push(message)
    else remind(turns, message, draft)
  }
  settle()
  return { system, turns }
}

function add(turns: Turn[], message: Message, draft: Draft): void {
  const last = turns.at(-1)
  const turn: Turn = last?.role === message.role ? last : { role: message.role, blocks: [], fields: {} }
  turn.blocks.push(...message.blocks)
  writeSide(message, 'messages', turn.fields, draft.losses)
  if (turn !== last) turns.push(turn)
}

/** The system prompt has no fields of its own. */
function loseFields(message: Message, draft: Draft): void {
  for (const key of Object.keys(message.side?.fields ?? {}))
    dropped(draft.losses, under(message, key), 'a leading system message has no such field')
}

function remind(turns: Turn[], message: Message, draft: Draft): void {
  changed(
    draft.losses,
    message.at ?? 'messages',
    'the model takes system messages only before the conversation: sent as a reminder of the user',
  )
  const { side: _, ...plain } = message
  loseFields(message, draft)
  add(turns, { ...plain, role: 'user', blocks: message.blocks.map(reminder) }, draft)
}

function reminder(block: Block): Block {
  if (block.type !== 'text' || block.text.trim() === '') return block
  const text: TextBlock = { ...block, text: `<system-reminder>\n${block.text}\n</system-reminder>` }
  return text
}
