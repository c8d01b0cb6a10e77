import type { Block, MediaBlock, ReasoningBlock, Signature, ToolCallBlock, ToolResultBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { dropped, type Loss, under } from '../../chat/loss.ts'
import type { Message } from '../../chat/request.ts'
import type { Target } from '../../chat/target.ts'
import { invalid } from '../../errors.ts'
import { writeArguments } from './json-text.ts'
import { writeDetail, writeMedia } from './media.ts'
import type { Traits } from './models.ts'
import { isOwn, restoreSide } from './side.ts'
import { mediaOf, writeToolResponse } from './tool-results.ts'

/**
 * Stands for the signature of a call that this model did not make, or whose signature the caller lost.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const NO_SIGNATURE = 'skip_thought_signature_validator'

/** What turns are written for. */
export interface ContentsTarget {
  readonly target: Target
  readonly traits: Traits
  readonly names: ReadonlyMap<string, string>
  /** Whether calls and results carry ids. */
  readonly callIds: boolean
  readonly losses: Loss[]
}

interface Turn {
  readonly role: 'user' | 'model'
  readonly messages: Message[]
}

/** The system prompt as text parts; empty text is left out. */
export function writeSystem(messages: readonly Message[], losses: Loss[]): Json | undefined {
  const parts = messages.flatMap((message) => systemTexts(message, losses))
  const out: Json = {}
  for (const message of messages) restoreSide(message, out, losses)
  return parts.length > 0 ? { ...out, parts } : undefined
}

function systemTexts(message: Message, losses: Loss[]): Json[] {
  if (message.name !== undefined) dropped(losses, under(message, 'name'), 'turns have no names')
  return message.blocks.flatMap((block) => {
    if (block.type !== 'text')
      throw invalid(
        block.at,
        `${block.at ?? 'The system prompt'} is ${block.type} within a system prompt, which holds text only. Move it to a turn of the user.`,
      )
    if (block.text === '') {
      restoreSide(block, {}, losses)
      return []
    }
    dropCache(block, losses)
    const part: Json = { text: block.text }
    restoreSide(block, part, losses)
    return [part]
  })
}

/** The turns of the conversation: neighbours of one role are one, results stand first and in the order of their calls. */
export function writeContents(messages: readonly Message[], context: ContentsTarget): Json[] {
  const contents: Json[] = []
  const callNames = new Map<string, string>()
  let open: ToolCallBlock[] = []
  for (const turn of turnsOf(messages)) {
    const parts = turn.role === 'model' ? modelParts(turn, context) : userParts(turn, open, callNames, context)
    open = turn.role === 'model' ? callsOf(turn) : []
    for (const call of open) callNames.set(call.id, call.name)
    if (parts.length === 0) continue
    const content: Json = { role: turn.role, parts }
    for (const message of turn.messages) {
      if (message.role === 'system') continue
      if (message.name !== undefined) dropped(context.losses, under(message, 'name'), 'turns have no names')
      restoreSide(message, content, context.losses)
    }
    contents.push(content)
  }
  const [unanswered] = open
  if (unanswered) throw missing(unanswered)
  return contents
}

function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user'
    const last = turns.at(-1)
    if (last?.role === role) last.messages.push(message)
    else turns.push({ role, messages: [message] })
  }
  return turns
}

function callsOf(turn: Turn): ToolCallBlock[] {
  return turn.messages.flatMap((message) => message.blocks.filter((block) => block.type === 'tool-call'))
}

function missing(call: ToolCallBlock): Error {
  return invalid(
    call.at,
    `The tool call "${call.id}"${call.at ? ` at ${call.at}` : ''} has no result. Send its result in the turn after it.`,
  )
}

function modelParts(turn: Turn, context: ContentsTarget): Json[] {
  const blocks = turn.messages.flatMap((message) => message.blocks)
  const parts = blocks.flatMap((block, index) => {
    const next = blocks[index + 1]
    const previous = blocks[index - 1]
    if (block.type === 'reasoning') return reasoningPart(block, next, context)
    if (block.type === 'tool-call') return [callPart(block, previous, context)]
    return plainPart(block, context)
  })
  const first = parts.find((part) => part['functionCall'] !== undefined)
  if (first && context.traits.signedCalls && first['thoughtSignature'] === undefined) first['thoughtSignature'] = NO_SIGNATURE
  return parts
}

/**
 * Clients of formats without a place for the signature of a call get it on reasoning directly before the call. There it is
 * taken from.
 */
function carriedSignature(block: Block | undefined, next: Block | undefined): Signature | undefined {
  return block?.type === 'reasoning' && next?.type === 'tool-call' && !next.signature ? block.signature : undefined
}

function reasoningPart(block: ReasoningBlock, next: Block | undefined, context: ContentsTarget): Json[] {
  if (block.signature && block.signature.signer !== context.target.signer) {
    dropped(context.losses, block.at, 'reasoning of another model is not sent on')
    return []
  }
  const signature = carriedSignature(block, next) ? undefined : block.signature
  if (block.text === '' && !signature) return []
  const part: Json = { text: block.text, thought: true }
  if (signature) part['thoughtSignature'] = signature.value
  restoreSide(block, part, context.losses)
  return [part]
}

function callPart(block: ToolCallBlock, previous: Block | undefined, context: ContentsTarget): Json {
  const { losses } = context
  const functionCall: Json = {}
  if (context.callIds) functionCall['id'] = block.id
  functionCall['name'] = context.names.get(block.name) ?? block.name
  functionCall['args'] = block.custom ? { input: block.arguments } : writeArguments(block.arguments, under(block, 'arguments'), losses)
  const part: Json = { functionCall }
  const carried = carriedSignature(previous, block)
  sign(part, carried?.signer === context.target.signer ? carried : block.signature, block, context)
  dropCache(block, losses)
  restoreSide(block, part, losses)
  return part
}

/** Puts a signature on a part if its signer is the one who will read it. */
function sign(part: Json, signature: Signature | undefined, block: Block, context: ContentsTarget): void {
  if (!signature) return
  if (signature.signer === context.target.signer) part['thoughtSignature'] = signature.value
  else if (block.type !== 'reasoning') dropped(context.losses, under(block, 'signature'), 'only its signer can read it')
}

/** Text, media and the rest, in turns of both roles. */
function plainPart(block: Block, context: ContentsTarget): Json[] {
  const { losses } = context
  switch (block.type) {
    case 'text': {
      if (block.text === '' && block.signature?.signer !== context.target.signer) {
        restoreSide(block, {}, losses)
        return []
      }
      const part: Json = { text: block.text }
      sign(part, block.signature, block, context)
      if (block.citations?.length) dropped(losses, under(block, 'citations'), 'text is sent without its sources')
      dropCache(block, losses)
      restoreSide(block, part, losses)
      return [part]
    }
    case 'media': {
      const part = writeMedia(block, context.target.facts)
      writeDetail(block, context.traits.resolution, part, losses)
      sign(part, block.signature, block, context)
      dropName(block, losses)
      dropCache(block, losses)
      restoreSide(block, part, losses)
      return [part]
    }
    case 'refusal':
      return block.text === '' ? [] : [{ text: block.text }]
    case 'reasoning':
      return reasoningPart(block, undefined, context)
    case 'hosted-call':
    case 'hosted-result': {
      if (isOwn(block)) return [{ ...block.side?.fields }]
      dropped(losses, block.at, "another provider's own tool")
      return []
    }
    default:
      throw invalid(block.at, `${block.at ?? 'A block'} is a ${block.type} in a turn that can not hold one.`)
  }
}

function userParts(turn: Turn, open: readonly ToolCallBlock[], callNames: ReadonlyMap<string, string>, context: ContentsTarget): Json[] {
  const results: ToolResultBlock[] = []
  const others: Json[] = []
  for (const message of turn.messages) {
    if (message.role === 'system') others.push(...reminder(message, context.losses))
    else {
      for (const block of message.blocks) {
        if (block.type === 'tool-result') results.push(block)
        else others.push(...plainPart(block, context))
      }
    }
  }
  const ordered = inOrderOf(open, results)
  const responses = ordered.map((result) => responsePart(result, callNames, context))
  const media = ordered.flatMap((result) => mediaOf(result, context.traits.toolMedia).after.flatMap((block) => plainPart(block, context)))
  return [...responses, ...media, ...others]
}

/** A system prompt in the middle of the conversation, where the wire has none. */
function reminder(message: Message, losses: Loss[]): Json[] {
  return systemTexts(message, losses).map((part) => ({ text: `<system-reminder>\n${String(part['text'])}\n</system-reminder>` }))
}

/** Results in the order of their calls, since some servers pair them by position; those that answer none of them at the end. */
function inOrderOf(calls: readonly ToolCallBlock[], results: readonly ToolResultBlock[]): ToolResultBlock[] {
  const ordered = calls.flatMap((call) => {
    const own = results.filter((result) => result.id === call.id)
    if (own.length === 0) throw missing(call)
    return own
  })
  return [...ordered, ...results.filter((result) => !calls.some((call) => call.id === result.id))]
}

function responsePart(block: ToolResultBlock, callNames: ReadonlyMap<string, string>, context: ContentsTarget): Json {
  const name = callNames.get(block.id) ?? block.name
  if (name === undefined)
    throw invalid(
      block.at,
      `${block.at ?? 'A tool result'} answers the call "${block.id}", which is not in the conversation. Send the call as well.`,
    )
  const functionResponse: Json = {}
  if (context.callIds) functionResponse['id'] = block.id
  functionResponse['name'] = context.names.get(name) ?? name
  functionResponse['response'] = writeToolResponse(block, context.losses)
  const { inside } = mediaOf(block, context.traits.toolMedia)
  if (inside.length > 0) functionResponse['parts'] = inside.map((media) => innerMedia(media, context))
  const part: Json = { functionResponse }
  dropCache(block, context.losses)
  restoreSide(block, part, context.losses)
  return part
}

function innerMedia(block: ToolResultBlock['blocks'][number] & { type: 'media' }, context: ContentsTarget): Json {
  const part = writeMedia(block, context.target.facts)
  dropName(block, context.losses)
  dropCache(block, context.losses)
  restoreSide(block, part, context.losses)
  return part
}

/** Only the vendor's own callers may name files: the Gemini API refuses names, Vertex takes them. */
function dropName(block: MediaBlock, losses: Loss[]): void {
  if (block.name !== undefined && !isOwn(block)) dropped(losses, under(block, 'name'), 'files have no names')
}

function dropCache(block: Block, losses: Loss[]): void {
  if ('cache' in block && block.cache) dropped(losses, under(block, 'cache_control'), 'prompts are cached without marks')
}
