import {
  type Block,
  changed,
  dropped,
  invalid,
  type Json,
  type Message,
  missingResult,
  reminder,
  splitSystem,
  type ToolCallBlock,
  type ToolResultBlock,
  under,
  writeExtensions,
} from '@headgate/core/codec'
import { writeBlock, writeCall, writeResult } from './blocks.ts'
import { ID, type Writing } from './writing.ts'

interface ConverseTurn {
  readonly role: 'user' | 'assistant'
  readonly blocks: Block[]
}

/** Writes the system prompt and the turns, which alternate and begin with a user turn. */
export function writeConversation(context: Writing): Json {
  const { losses, request } = context
  const { system, turns: messages } = splitSystem(request.messages)
  for (const message of request.messages) {
    if (message.name !== undefined) dropped(losses, under(message, 'name'), 'messages have no name')
    writeExtensions(message, ID, {}, losses)
  }
  const prompt = system.flatMap(({ blocks }) => blocks.flatMap((block) => writeBlock(context, block)))
  const turns = writeTurns(context, joined(context, messages))
  if (turns.length === 0) throw invalid('messages', 'messages is empty. Add a user message with content.')
  return { ...(prompt.length > 0 && { system: prompt }), messages: turns }
}

/** Merges consecutive messages of one role into a turn. System prompts within the conversation become user content. */
function joined({ losses }: Writing, messages: readonly Message[]): ConverseTurn[] {
  const turns: ConverseTurn[] = []
  for (const { role, blocks, at } of messages) {
    if (role === 'system')
      changed(losses, at, 'system messages are only allowed before the conversation: sent as a user reminder')
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

function writeTurns(context: Writing, turns: readonly ConverseTurn[]): Json[] {
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
  changed(context.losses, 'messages', 'a user turn was inserted before the first message, which is the assistant’s')
  return [{ role: 'user', content: [{ text: '(The conversation starts with the assistant.)' }] }, ...out]
}

/** A document requires text in the same turn. */
function withText({ losses }: Writing, content: Json[]): Json[] {
  if (!content.some((block) => 'document' in block) || content.some((block) => 'text' in block)) return content
  changed(losses, 'messages', 'text was added to a document, which must not be alone')
  return [...content, { text: '(See the document.)' }]
}

/**
 * Calls and the results that follow them, with valid ids.
 *
 * @throws HeadgateError for a call without a result
 */
function pair(turns: readonly ConverseTurn[]): ReadonlyMap<Block, string> {
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
      if (!result) throw missingResult(call)
      const id = allot(call.id, used)
      ids.set(call, id)
      ids.set(result, id)
    }
  }
  return ids
}

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/

/** The original id if it is valid and unused, otherwise a new one. */
function allot(id: string, used: Set<string>): string {
  const free = LEGAL.test(id) && !used.has(id) ? id : `call_${used.size}_${used.size}`
  used.add(free)
  return free
}

/** Content of a result without a call. It becomes user content, because the API would reject it. */
function writeStray(context: Writing, block: ToolResultBlock): Json[] {
  changed(context.losses, block.at ?? 'messages', 'the result matches no call of the previous message: sent as text')
  return [
    { text: `Result of the tool call ${block.id}${block.error ? ' (failed)' : ''}:` },
    ...block.blocks.flatMap((one) => writeBlock(context, one)),
  ]
}
