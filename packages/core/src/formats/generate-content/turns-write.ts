import { type Block, blocksOf, type ToolCallBlock, type ToolResultBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import type { Message } from '../../canonical/request.ts'
import { misplaced, missingResult } from '../../canonical/tools.ts'
import { reminder } from '../../canonical/turns.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { writeBlock, writeMediaAfter, writeModelBlocks, writeResult } from './blocks-write.ts'
import { ID } from './wire.ts'
import { type ContentWriteState, loseCache } from './write-state.ts'

interface ContentTurn {
  readonly role: 'user' | 'model'
  readonly messages: Message[]
}

/** System prompt as text parts. Empty text is left out. */
export function writeSystem(context: ContentWriteState, messages: readonly Message[]): Json | undefined {
  const parts = messages.flatMap((message) => systemTexts(context, message))
  const out: Json = {}
  for (const message of messages) writeExtensions(message, ID, out, context.losses)
  return parts.length > 0 ? { ...out, parts } : undefined
}

function systemTexts(context: ContentWriteState, message: Message): Json[] {
  loseName(context, message)
  return message.blocks.flatMap((block) => {
    if (block.type !== 'text') throw misplaced(block, 'a system prompt, which contains only text')
    const part: Json = { text: block.text }
    writeExtensions(block, ID, part, context.losses)
    if (block.text === '') return []
    if (block.citations) dropped(context.losses, under(block, 'citations'), 'a system prompt has no citations')
    loseCache(block, context.losses)
    return [part]
  })
}

function loseName({ losses }: ContentWriteState, message: Message): void {
  if (message.name !== undefined) dropped(losses, under(message, 'name'), 'turns have no names')
}

/**
 * Turns of the conversation. Consecutive turns of one role are merged, and results come first, in the order of their
 * calls.
 */
export function writeTurns(context: ContentWriteState, messages: readonly Message[]): Json[] {
  const contents: Json[] = []
  const callNames = new Map<string, string>()
  let open: ToolCallBlock[] = []
  for (const turn of turnsOf(messages)) {
    const blocks = turn.role === 'model' ? joined(turn.messages) : []
    const parts = turn.role === 'model' ? writeModelBlocks(context, blocks) : userParts(context, turn, open, callNames)
    open = blocksOf(blocks, 'tool-call')
    for (const call of open) callNames.set(call.id, call.name)
    const content: Json = { role: turn.role, parts }
    for (const message of turn.messages) {
      if (message.role === 'system') continue
      loseName(context, message)
      writeExtensions(message, ID, content, context.losses)
    }
    if (parts.length > 0) contents.push(content)
  }
  const [first] = open
  if (first) throw missingResult(first)
  return contents
}

function turnsOf(messages: readonly Message[]): ContentTurn[] {
  const turns: ContentTurn[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user'
    const last = turns.at(-1)
    if (last?.role === role) last.messages.push(message)
    else turns.push({ role, messages: [message] })
  }
  return turns
}

/** Blocks of consecutive messages. */
function joined(messages: readonly Message[]): readonly Block[] {
  const [only, ...others] = messages
  return others.length === 0 ? (only?.blocks ?? []) : messages.flatMap((message) => message.blocks)
}

function userParts(
  context: ContentWriteState,
  turn: ContentTurn,
  open: readonly ToolCallBlock[],
  callNames: ReadonlyMap<string, string>,
): Json[] {
  const results: ToolResultBlock[] = []
  const others: Json[] = []
  for (const message of turn.messages) {
    const blocks = message.role === 'system' ? [] : message.blocks
    if (message.role === 'system') for (const part of reminders(context, message)) others.push(part)
    for (const block of blocks) {
      if (block.type === 'tool-result') results.push(block)
      else for (const part of writeBlock(context, block)) others.push(part)
    }
  }
  const ordered = inOrderOf(open, results)
  const responses = ordered.map((result) => writeResult(context, result, callNames))
  const media = ordered.flatMap((result, index) =>
    writeMediaAfter(context, result, context.callIds ? result.id : String(index + 1)),
  )
  return [...responses, ...media, ...others]
}

/** Parts for a system prompt in the middle of the conversation, which the wire does not support. */
function reminders(context: ContentWriteState, message: Message): Json[] {
  changed(context.losses, message.at, 'a later system message becomes marked user text')
  return systemTexts(context, message).map((part) => ({ text: reminder(String(part['text'])) }))
}

/** Results for calls with the same id. */
interface ResultQueue {
  readonly results: ToolResultBlock[]
  next: number
  /** Calls without a result. */
  calls: number
}

/**
 * Results in the order of their calls, since some servers match them by position. Other results come last. With several
 * calls of one id, each gets one result, and the last call the remaining ones.
 */
function inOrderOf(calls: readonly ToolCallBlock[], results: readonly ToolResultBlock[]): ToolResultBlock[] {
  const byId = new Map<string, ResultQueue>()
  for (const { id } of calls) {
    const known = byId.get(id)
    if (known) known.calls += 1
    else byId.set(id, { results: [], next: 0, calls: 1 })
  }
  const others = results.filter((result) => byId.get(result.id)?.results.push(result) === undefined)
  const ordered: ToolResultBlock[] = []
  for (const call of calls) {
    const answers = byId.get(call.id)
    if (!answers || answers.next === answers.results.length) throw missingResult(call)
    answers.calls -= 1
    const end = answers.calls === 0 ? answers.results.length : answers.next + 1
    for (const result of answers.results.slice(answers.next, end)) ordered.push(result)
    answers.next = end
  }
  return [...ordered, ...others]
}
