import type { Block, ToolCallBlock, ToolResultBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, under, writeSide } from '../../chat/loss.ts'
import { invalid } from '../../errors.ts'
import { writeContent, writeContents, writeSystem } from './content-write.ts'
import { type Draft, mark } from './draft.ts'
import { toolInput } from './input.ts'
import type { Turn } from './turns.ts'

/** Ids as they are sent, by the blocks that carry them. A result that is not here answers no call. */
type Ids = ReadonlyMap<ToolCallBlock | ToolResultBlock, string>

/** The conversation must start with the user. */
const OPENING: Json = { role: 'user', content: [{ type: 'text', text: '(The conversation starts with the assistant.)' }] }

/**
 * The turns as the vendor takes them: every call answered in the turn that follows, results first, no empty text, no white
 * space at the end of an answer that is to be continued.
 *
 * @throws HeadgateError `invalid-request` naming the id of a call that has no result.
 */
export function writeConversation(turns: readonly Turn[], draft: Draft): Json[] {
  const ids = pair(turns)
  const out: Json[] = []
  turns.forEach((turn, index) => {
    const content = writeTurn(turn, index === turns.length - 1, ids, draft)
    if (content.length > 0 || Object.keys(turn.fields).length > 0) out.push({ role: turn.role, content, ...turn.fields })
  })
  if (!out.some((turn) => turn['role'] !== 'system'))
    throw invalid('messages', 'messages holds nothing that can be answered. Add a user message with content.')
  if (out[0]?.['role'] !== 'assistant') return out
  changed(draft.losses, 'messages', 'a user turn was put before the first message, which is the assistant’s')
  return [OPENING, ...out]
}

/** Calls and their results, which must stand in the turn that follows, share an id that the vendor allows. */
function pair(turns: readonly Turn[]): Ids {
  const ids = new Map<ToolCallBlock | ToolResultBlock, string>()
  const used = new Set<string>()
  turns.forEach((turn, index) => {
    if (turn.role !== 'assistant') return
    const next = turns[index + 1]
    for (const call of turn.blocks) {
      if (call.type !== 'tool-call') continue
      const answer = next?.blocks.find((block) => block.type === 'tool-result' && block.id === call.id && !ids.has(block))
      if (answer?.type !== 'tool-result') throw unanswered(call)
      const id = allot(call.id, used)
      ids.set(call, id)
      ids.set(answer, id)
    }
  })
  return ids
}

function unanswered(call: ToolCallBlock) {
  const at = call.at ?? 'messages'
  return invalid(
    at,
    `${at}: the tool call ${JSON.stringify(call.id)} has no result in the message that follows. Add its result, or leave the call out.`,
  )
}

/** An id of letters, digits, `_` and `-` that no other call has. */
function allot(id: string, used: Set<string>): string {
  const legal = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'
  let free = legal
  for (let count = 2; used.has(free); count++) free = `${legal}_${count}`
  used.add(free)
  return free
}

function writeTurn(turn: Turn, last: boolean, ids: Ids, draft: Draft): Json[] {
  if (turn.role === 'system') return writeSystem(turn.blocks, draft)
  const results: Json[] = []
  const content: Json[] = []
  for (const block of turn.blocks) {
    if (block.type === 'tool-result' && ids.has(block)) results.push(writeResult(block, ids, draft))
    else if (block.type === 'tool-result') content.push(...writeOrphan(block, draft))
    else if (block.type === 'tool-call') content.push(writeCall(block, ids, draft))
    else {
      const written = writeContent(block, draft)
      if (written) content.push(written)
    }
  }
  if (last && turn.role === 'assistant') trimEnd(content, turn, draft)
  return [...results, ...content]
}

/** An answer to be continued must not end with white space. */
function trimEnd(content: Json[], turn: Turn, draft: Draft): void {
  const block = content.at(-1)
  const text = block?.['text']
  if (block?.['type'] !== 'text' || typeof text !== 'string' || text === text.trimEnd()) return
  block['text'] = text.trimEnd()
  changed(draft.losses, turn.blocks.at(-1)?.at ?? 'messages', 'white space at the end of an answer to be continued is left out')
}

function writeCall(block: ToolCallBlock, ids: Ids, draft: Draft): Json {
  const out: Json = {
    type: 'tool_use',
    id: ids.get(block) ?? block.id,
    name: draft.names.get(block.name) ?? block.name,
    input: inputOf(block, draft),
  }
  if (block.signature) dropped(draft.losses, under(block, 'signature'), 'only its signer can read a signature')
  writeSide(block, 'messages', out, draft.losses)
  mark(block, out, draft)
  return out
}

function inputOf(block: ToolCallBlock, draft: Draft): Json {
  if (block.custom) return { input: block.arguments }
  const input = toolInput(block.arguments)
  if (input) return input
  changed(draft.losses, under(block, 'arguments'), 'the arguments are no JSON object: an empty one is sent')
  return {}
}

function writeResult(block: ToolResultBlock, ids: Ids, draft: Draft): Json {
  const content = writeContents(block.blocks, draft)
  const out: Json = { type: 'tool_result', tool_use_id: ids.get(block) ?? block.id }
  if (content.length > 0) out['content'] = content
  if (block.error) out['is_error'] = true
  writeSide(block, 'messages', out, draft.losses)
  mark(block, out, draft)
  return out
}

/** The vendor refuses a result without its call, so its content goes out as the user's. */
function writeOrphan(block: ToolResultBlock, draft: Draft): Json[] {
  changed(draft.losses, block.at ?? 'messages', 'the result answers no call of the message before: sent as text')
  const heading: Block = { type: 'text', text: `Result of the tool call ${block.id}${block.error ? ' (failed)' : ''}:` }
  return writeContents([heading, ...block.blocks], draft)
}

/**
 * Whether the answer that is to go on called tools, and the caller lost what the model had thought before: to go on thinking is
 * refused then.
 */
export function lostReasoning(turns: readonly Turn[], draft: Draft): boolean {
  const answer = turns.findLast((turn) => turn.role === 'assistant')
  if (!answer?.blocks.some((block) => block.type === 'tool-call')) return false
  return !answer.blocks.some(
    (block) => block.type === 'reasoning' && block.signature !== undefined && block.signature.signer === draft.target.signer,
  )
}
