import type { Block } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import type { Message } from '../../canonical/request.ts'
import { reminder, splitSystem } from '../../canonical/turns.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'
import type { MessagesWriteState } from './write-state.ts'

/** Consecutive messages of one role, which the format requires as one. */
export interface RoleTurn {
  readonly role: Message['role']
  readonly blocks: Block[]
  /** Fields other than role and content. */
  readonly fields: Json
}

export interface RoleConversation {
  /** Blocks of the system prompt, before the first turn. */
  readonly system: Block[]
  readonly turns: RoleTurn[]
}

/**
 * Turns of a conversation. System turns stay in place if the model allows it, which is after a user turn and before an
 * assistant turn or the end; a system turn before a user turn moves after it. For other models they become a reminder
 * in the user turn, so that the cached prompt before them does not change.
 * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
export function turnsOf(context: MessagesWriteState): RoleConversation {
  const { request, target, model, losses } = context
  const { system, turns: messages } = splitSystem(request.messages)
  const turns: RoleTurn[] = []
  const inPlace = model.midSystem && !target.facts?.plainSystem
  let waiting: Message[] = []
  let moved = 0
  const settle = (): void => {
    if (waiting.length === 0) return
    const inUserTurn = turns.at(-1)?.role === 'user'
    for (const message of waiting) {
      if (inUserTurn) add(context, turns, message)
      else remind(context, turns, message)
    }
    waiting = []
    moved = 0
  }
  for (const message of request.messages) {
    if (message.name !== undefined)
      dropped(losses, under(message, 'name'), 'messages have no name in the messages format')
  }
  const prompt: Block[] = []
  for (const message of system) {
    loseFields(context, message)
    for (const block of message.blocks) prompt.push(block)
  }
  for (const message of messages) {
    if (message.role === 'system') {
      if (inPlace) waiting.push(message)
      else remind(context, turns, message)
      continue
    }
    if (message.role === 'assistant') settle()
    else for (; moved < waiting.length; moved++) changed(losses, waiting[moved]?.at, 'moved after the next user turn')
    add(context, turns, message)
  }
  settle()
  return { system: prompt, turns }
}

function add(context: MessagesWriteState, turns: RoleTurn[], message: Message): void {
  const last = turns.at(-1)
  const turn: RoleTurn = last?.role === message.role ? last : { role: message.role, blocks: [], fields: {} }
  for (const block of message.blocks) turn.blocks.push(block)
  writeExtensions(message, ID, turn.fields, context.losses)
  if (turn !== last) turns.push(turn)
}

/** Declares fields of the system prompt as lost, since it has none in this format. */
function loseFields({ losses }: MessagesWriteState, message: Message): void {
  for (const key in message.extensions?.fields)
    dropped(losses, under(message, key), 'a leading system message has no such field')
}

function remind(context: MessagesWriteState, turns: RoleTurn[], message: Message): void {
  const path = message.at ?? 'messages'
  changed(
    context.losses,
    path,
    'the model supports system messages only before the conversation, so it is sent as a reminder of the user',
  )
  const { extensions: _, ...plain } = message
  loseFields(context, message)
  add(context, turns, { ...plain, role: 'user', blocks: message.blocks.map(reminded) })
}

function reminded(block: Block): Block {
  return block.type === 'text' && block.text.trim() !== '' ? { ...block, text: reminder(block.text) } : block
}
