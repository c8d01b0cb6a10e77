import type { Block, ToolResultBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed } from '../../canonical/loss.ts'
import { verifiable } from '../../canonical/signature.ts'
import { unanswered } from '../../canonical/tools.ts'
import { invalid } from '../../errors.ts'
import { writeBlock, writeBlocks, writeCall, writeResult, writeSystem } from './blocks-write.ts'
import type { Turn } from './turns.ts'
import type { Writing } from './writing.ts'

/** Ids as they are sent, by the blocks that carry them. A result that is not here answers no call. */
type Ids = ReadonlyMap<Block, string>

/** The conversation must start with the user. */
const OPENING: Json = {
  role: 'user',
  content: [{ type: 'text', text: '(The conversation starts with the assistant.)' }],
}

/**
 * The turns as the vendor takes them: every call answered in the turn that follows, results first, no empty text, no
 * white space at the end of an answer that is to be continued.
 *
 * @throws HeadgateError `invalid-request` naming the id of a call that has no result.
 */
export function writeTurns(context: Writing, turns: readonly Turn[]): Json[] {
  const ids = pair(turns)
  const out: Json[] = []
  const last = turns.at(-1)
  for (const turn of turns) {
    const content = writeTurn(context, turn, turn === last, ids)
    if (content.length > 0 || Object.keys(turn.fields).length > 0)
      out.push({ role: turn.role, content, ...turn.fields })
  }
  if (!out.some((turn) => turn['role'] !== 'system'))
    throw invalid('messages', 'messages holds nothing that can be answered. Add a user message with content.')
  if (out[0]?.['role'] !== 'assistant') return out
  changed(context.losses, 'messages', 'a user turn was put before the first message, which is the assistant’s')
  return [OPENING, ...out]
}

/** Calls and their results, which must stand in the turn that follows, share an id that the vendor allows. */
function pair(turns: readonly Turn[]): Ids {
  const ids = new Map<Block, string>()
  const used = new Map<string, number>()
  for (let index = 0; index < turns.length; index++) {
    const turn = turns[index]
    let results: Map<string, ToolResultBlock[]> | undefined
    for (const call of turn?.role === 'assistant' ? turn.blocks : []) {
      if (call.type !== 'tool-call') continue
      results ??= resultsOf(turns[index + 1])
      const result = results.get(call.id)?.pop()
      if (!result) throw unanswered(call)
      const id = allot(call.id, used)
      ids.set(call, id)
      ids.set(result, id)
    }
  }
  return ids
}

/** The results of a turn by the ids of their calls, the first of each id last. */
function resultsOf(turn: Turn | undefined): Map<string, ToolResultBlock[]> {
  const results = new Map<string, ToolResultBlock[]>()
  for (const block of turn?.blocks.toReversed() ?? []) {
    if (block.type !== 'tool-result') continue
    const known = results.get(block.id)
    if (known) known.push(block)
    else results.set(block.id, [block])
  }
  return results
}

/** An id of letters, digits, `_` and `-` that no other call has. `used`: how often each was asked for. */
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

function writeTurn(context: Writing, turn: Turn, last: boolean, ids: Ids): Json[] {
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

function writeInto(context: Writing, block: Block, content: Json[]): void {
  const written = writeBlock(context, block)
  if (written) content.push(written)
}

/** An answer to be continued must not end with white space. */
function trimEnd({ losses }: Writing, content: Json[], turn: Turn): void {
  const block = content.at(-1)
  const text = block?.['text']
  if (block?.['type'] !== 'text' || typeof text !== 'string' || text === text.trimEnd()) return
  block['text'] = text.trimEnd()
  changed(
    losses,
    turn.blocks.at(-1)?.at ?? 'messages',
    'white space at the end of an answer to be continued is left out',
  )
}

/** The vendor refuses a result without its call, so its content goes out as the user's. */
function writeStray(context: Writing, block: ToolResultBlock): Json[] {
  changed(context.losses, block.at ?? 'messages', 'the result answers no call of the message before: sent as text')
  const heading: Block = { type: 'text', text: `Result of the tool call ${block.id}${block.error ? ' (failed)' : ''}:` }
  return writeBlocks(context, [heading, ...block.blocks])
}

/**
 * Whether the answer that is to go on called tools, and the caller lost what the model had thought before: to go on
 * thinking is refused then.
 */
export function lostReasoning({ target }: Writing, turns: readonly Turn[]): boolean {
  const answer = turns.findLast((turn) => turn.role === 'assistant')
  if (!answer?.blocks.some((block) => block.type === 'tool-call')) return false
  return !answer.blocks.some((block) => block.type === 'reasoning' && verifiable(block.signature, target))
}
