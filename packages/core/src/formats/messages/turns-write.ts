import type { Block, ToolResultBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed } from '../../canonical/loss.ts'
import { verifiable } from '../../canonical/signature.ts'
import { missingResult } from '../../canonical/tools.ts'
import { invalid } from '../../errors.ts'
import { writeBlock, writeBlocks, writeCall, writeResult, writeSystem } from './blocks-write.ts'
import type { RoleTurn } from './turns.ts'
import type { MessagesWriteState } from './write-state.ts'

/** Written ids by block. A result without an entry has no call. */
type Ids = ReadonlyMap<Block, string>

/** User turn before a conversation that starts with the assistant, which the vendor rejects. */
const OPENING: Json = {
  role: 'user',
  content: [{ type: 'text', text: '(The conversation starts with the assistant.)' }],
}

/**
 * Turns in the vendor's rules: every call has its result in the next turn, results come first, there is no empty text,
 * and a response to be continued does not end with whitespace.
 * @throws HeadgateError of kind `invalid-request` with the id of a call without a result.
 */
export function writeTurns(context: MessagesWriteState, turns: readonly RoleTurn[]): Json[] {
  const ids = pair(turns)
  const out: Json[] = []
  const last = turns.at(-1)
  for (const turn of turns) {
    const content = writeTurn(context, turn, turn === last, ids)
    if (content.length > 0 || Object.keys(turn.fields).length > 0)
      out.push({ role: turn.role, content, ...turn.fields })
  }
  if (!out.some((turn) => turn['role'] !== 'system'))
    throw invalid('messages', 'messages has no content to respond to. Add a user message with content.')
  if (out[0]?.['role'] !== 'assistant') return out
  changed(context.losses, 'messages', 'a user turn was added before the first message of the assistant')
  return [OPENING, ...out]
}

/** Ids of calls and their results, which must be in the next turn. */
function pair(turns: readonly RoleTurn[]): Ids {
  const ids = new Map<Block, string>()
  const used = new Map<string, number>()
  for (let index = 0; index < turns.length; index++) {
    const turn = turns[index]
    let results: Map<string, ToolResultBlock[]> | undefined
    for (const call of turn?.role === 'assistant' ? turn.blocks : []) {
      if (call.type !== 'tool-call') continue
      results ??= resultsOf(turns[index + 1])
      const result = results.get(call.id)?.pop()
      if (!result) throw missingResult(call)
      const id = allot(call.id, used)
      ids.set(call, id)
      ids.set(result, id)
    }
  }
  return ids
}

/** Results of a turn by the ids of their calls, in reverse order. */
function resultsOf(turn: RoleTurn | undefined): Map<string, ToolResultBlock[]> {
  const results = new Map<string, ToolResultBlock[]>()
  for (const block of turn?.blocks.toReversed() ?? []) {
    if (block.type !== 'tool-result') continue
    const known = results.get(block.id)
    if (known) known.push(block)
    else results.set(block.id, [block])
  }
  return results
}

/**
 * Unique id of letters, digits, `_` and `-`.
 * @param used number of requests per id.
 */
function allot(id: string, used: Map<string, number>): string {
  const legal = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'
  for (let count = (used.get(legal) ?? 0) + 1; ; count++) {
    const free = count === 1 ? legal : `${legal}_${count}`
    if (count > 1 && used.has(free)) continue
    used.set(legal, count)
    if (free !== legal) used.set(free, 1)
    return free
  }
}

function writeTurn(context: MessagesWriteState, turn: RoleTurn, last: boolean, ids: Ids): Json[] {
  if (turn.role === 'system') return writeSystem(context, turn.blocks)
  const results: Json[] = []
  const content: Json[] = []
  for (const block of turn.blocks) {
    const id = ids.get(block)
    if (block.type === 'tool-call') content.push(writeCall(context, block, id ?? block.id))
    else if (block.type !== 'tool-result') writeInto(context, block, content)
    else if (id !== undefined) results.push(writeResult(context, block, id))
    else for (const part of writeStray(context, block)) content.push(part)
  }
  if (last && turn.role === 'assistant') trimEnd(context, content, turn)
  return [...results, ...content]
}

function writeInto(context: MessagesWriteState, block: Block, content: Json[]): void {
  const written = writeBlock(context, block)
  if (written) content.push(written)
}

/** Removes whitespace at the end of a response to be continued, which the vendor rejects. */
function trimEnd({ losses }: MessagesWriteState, content: Json[], turn: RoleTurn): void {
  const block = content.at(-1)
  const text = block?.['text']
  if (block?.['type'] !== 'text' || typeof text !== 'string' || text === text.trimEnd()) return
  block['text'] = text.trimEnd()
  changed(
    losses,
    turn.blocks.at(-1)?.at ?? 'messages',
    'whitespace at the end of a response to be continued is removed',
  )
}

/** Content of a result without a call, as text of the user, since the vendor rejects the result. */
function writeStray(context: MessagesWriteState, block: ToolResultBlock): Json[] {
  changed(
    context.losses,
    block.at ?? 'messages',
    'the previous message has no call for this result, so it is sent as text',
  )
  const heading: Block = { type: 'text', text: `Result of the tool call ${block.id}${block.error ? ' (failed)' : ''}:` }
  return writeBlocks(context, [heading, ...block.blocks])
}

/**
 * True if the response to be continued has tool calls, but the caller lost the reasoning before them. The vendor then
 * rejects further thinking.
 */
export function lostReasoning({ target }: MessagesWriteState, turns: readonly RoleTurn[]): boolean {
  const answer = turns.findLast((turn) => turn.role === 'assistant')
  if (!answer?.blocks.some((block) => block.type === 'tool-call')) return false
  return !answer.blocks.some((block) => block.type === 'reasoning' && verifiable(block.signature, target))
}
