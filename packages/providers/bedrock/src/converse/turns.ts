import {
  type Block,
  changed,
  dropped,
  invalid,
  type Json,
  type Message,
  reminder,
  splitSystem,
  type ToolCallBlock,
  type ToolResultBlock,
  unanswered,
  under,
  writeSide,
} from '@headgate/core/codec'
import { writeBlock, writeCall, writeResult } from './blocks.ts'
import { ID, type Writing } from './writing.ts'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly blocks: Block[]
}

/** The system prompt and the turns, which alternate and begin with the user's. */
export function writeConversation(context: Writing): Json {
  const { losses, request } = context
  const { system, turns: messages } = splitSystem(request.messages)
  for (const message of request.messages) {
    if (message.name !== undefined) dropped(losses, under(message, 'name'), 'messages have no name')
    writeSide(message, ID, {}, losses)
  }
  const prompt = system.flatMap(({ blocks }) => blocks.flatMap((block) => writeBlock(context, block)))
  const turns = writeTurns(context, joined(context, messages))
  if (turns.length === 0)
    throw invalid('messages', 'messages holds nothing that can be answered. Add a user message with content.')
  return { ...(prompt.length > 0 && { system: prompt }), messages: turns }
}

/** Turns of one role are one turn there; a system prompt in their midst is told by the user. */
function joined({ losses }: Writing, messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const { role, blocks, at } of messages) {
    if (role === 'system')
      changed(losses, at, 'system messages stand only before the conversation: sent as a reminder of the user')
    const told =
      role === 'system'
        ? blocks.map((block) => (block.type === 'text' ? { ...block, text: reminder(block.text) } : block))
        : blocks
    const by = role === 'assistant' ? role : 'user'
    const last = turns.at(-1)
    if (last?.role === by) last.blocks.push(...told)
    else turns.push({ role: by, blocks: [...told] })
  }
  return turns
}

function writeTurns(context: Writing, turns: readonly Turn[]): Json[] {
  const ids = pair(turns)
  const out: { role: string; content: Json[] }[] = []
  for (const { role, blocks } of turns) {
    const results: Json[] = []
    const content: Json[] = []
    for (const block of blocks) {
      const id = ids.get(block)
      if (block.type === 'tool-call') content.push(...writeCall(context, block, id ?? block.id))
      else if (block.type !== 'tool-result') content.push(...writeBlock(context, block))
      else if (id !== undefined) results.push(...writeResult(context, block, id))
      else content.push(...writeStray(context, block))
    }
    const all = withText(context, [...results, ...content])
    if (all.length === 0) continue
    const last = out.at(-1)
    if (last?.role === role) last.content.push(...all)
    else out.push({ role, content: all })
  }
  if (out[0]?.role !== 'assistant') return out
  changed(context.losses, 'messages', 'a user turn was put before the first message, which is the assistant’s')
  return [{ role: 'user', content: [{ text: '(The conversation starts with the assistant.)' }] }, ...out]
}

/** A document must stand with a text. */
function withText({ losses }: Writing, content: Json[]): Json[] {
  if (!content.some((block) => 'document' in block) || content.some((block) => 'text' in block)) return content
  changed(losses, 'messages', 'a text was put beside a document, which must not stand alone')
  return [...content, { text: '(See the document.)' }]
}

/**
 * Calls, and the results that follow them, by ids that are allowed. @throws HeadgateError for a call without a result.
 */
function pair(turns: readonly Turn[]): ReadonlyMap<Block, string> {
  const ids = new Map<Block, string>()
  const used = new Set<string>()
  for (const [index, { role, blocks }] of turns.entries()) {
    const calls =
      role === 'assistant' ? blocks.filter((block): block is ToolCallBlock => block.type === 'tool-call') : []
    if (calls.length === 0) continue
    const results = Map.groupBy(
      (turns[index + 1]?.blocks ?? []).filter((block): block is ToolResultBlock => block.type === 'tool-result'),
      ({ id }) => id,
    )
    for (const call of calls) {
      const result = results.get(call.id)?.shift()
      if (!result) throw unanswered(call)
      const id = allot(call.id, used)
      ids.set(call, id)
      ids.set(result, id)
    }
  }
  return ids
}

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/

/** The id itself where it is allowed and no other call has it. */
function allot(id: string, used: Set<string>): string {
  const free = LEGAL.test(id) && !used.has(id) ? id : `call_${used.size}_${used.size}`
  used.add(free)
  return free
}

/** A result that answers no call would be refused, so its content goes out as the user's. */
function writeStray(context: Writing, block: ToolResultBlock): Json[] {
  changed(context.losses, block.at ?? 'messages', 'the result answers no call of the message before: sent as text')
  return [
    { text: `Result of the tool call ${block.id}${block.error ? ' (failed)' : ''}:` },
    ...block.blocks.flatMap((one) => writeBlock(context, one)),
  ]
}
