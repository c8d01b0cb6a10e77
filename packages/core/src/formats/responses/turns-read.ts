import { returnSignatures } from '../../canonical/attached-signatures.ts'
import type { Block, Node, ToolResultBlock } from '../../canonical/block.ts'
import { readObjects, requiredName, requiredString, stringField, unknownWord, wrong } from '../../canonical/fields.ts'
import { isObject, type Json, text } from '../../canonical/json.ts'
import type { Message } from '../../canonical/request.ts'
import { keepExtensions, unknownFields, wholeExtensions } from '../../canonical/vendor-extensions.ts'
import { readContent } from './blocks-read.ts'
import { isCall, readCall } from './calls-read.ts'
import { isGatewaySearch, readGatewaySearch, readHosted } from './hosted.ts'
import { readGenerated } from './media-read.ts'
import { isFailedImage } from './media-write.ts'
import { readReasoning } from './reasoning.ts'
import { ID, SIGNER } from './wire.ts'

/** Fields that refer to a stored input. */
const STORED_INPUT = ['previous_response_id', 'conversation', 'prompt'] as const

/** Reads the instructions and the input, a string or a list of items. */
export function readTurns(body: Json): Message[] {
  const instructions = stringField(body, 'instructions', '')
  const system: Message[] = instructions
    ? [{ role: 'system', at: 'instructions', blocks: [{ type: 'text', at: 'instructions', text: instructions }] }]
    : []
  return [...system, ...readInput(body)]
}

/**
 * Input of a request. Undefined if it is stored at the provider.
 * @throws HeadgateError if it is neither a string nor a list.
 */
export function inputOf(body: Json): string | unknown[] | undefined {
  const input = body['input'] ?? undefined
  if (input === undefined && STORED_INPUT.some((key) => (body[key] ?? undefined) !== undefined)) return undefined
  if (typeof input === 'string' || Array.isArray(input)) return input
  throw wrong('input', 'a string or a list of items', input)
}

function readInput(body: Json): Message[] {
  const input = inputOf(body)
  if (input === undefined) return []
  if (typeof input === 'string')
    return [{ role: 'user', at: 'input', blocks: [{ type: 'text', at: 'input', text: input }] }]
  const turns = collector()
  readObjects(input, 'input', (item, at) => readItem(item, at, turns))
  return turns.end()
}

/** Collector of items into turns. */
interface Collector {
  /** Adds a message, which is a separate item. */
  turn(message: Message): void
  /**
   * Adds assistant's blocks other than messages.
   * @param opens true if they precede a message.
   */
  add(blocks: readonly Block[], opens?: boolean): void
  /** True for a call of a hosted tool. Some clients send results for such calls. */
  isHosted(id: unknown): boolean
  end(): Message[]
}

/**
 * Collects a message of the assistant and the blocks around it into one turn: reasoning before it, and calls after it.
 * A second message starts another turn, with the reasoning before it, so that messages remain separate items.
 */
function collector(): Collector {
  const messages: Message[] = []
  const hosted = new Set<unknown>()
  let open: { message: Message; spoken: boolean } | undefined
  const begin = (message: Message): void => {
    messages.push(message)
    open = message.role === 'assistant' ? { message, spoken: false } : undefined
  }
  return {
    turn(message) {
      if (message.role !== 'assistant' || !open || open.spoken) begin(message)
      else {
        const { blocks, ...node } = message
        Object.assign(open.message, node)
        for (const block of blocks) open.message.blocks.push(block)
      }
      if (open) open.spoken = true
    },
    add(blocks, opens = false) {
      if (!open || (opens && open.spoken)) begin({ role: 'assistant', ...atOf(blocks), blocks: [] })
      for (const block of blocks) {
        open?.message.blocks.push(block)
        if (block.type === 'hosted-call') hosted.add(block.id)
      }
    },
    isHosted: (id) => hosted.has(id),
    end() {
      for (const message of messages)
        if (message.role === 'assistant') message.blocks = returnSignatures(message.blocks, SIGNER)
      return messages
    },
  }
}

function atOf([first]: readonly Block[]): { at?: string } {
  return first?.at === undefined ? {} : { at: first.at }
}

function readItem(item: Json, at: string, turns: Collector): void {
  const type = typeOf(item)
  switch (type) {
    case 'message':
      turns.turn(readMessage(item, at))
      break
    case 'function_call':
    case 'custom_tool_call':
      checkCall(item, at)
      turns.add([withStatus(readCall(item, at, at), item)])
      break
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (turns.isHosted(item['call_id'])) turns.add([readHosted(item, at)])
      else turns.turn({ role: 'user', at, blocks: [readResult(item, at)] })
      break
    case 'reasoning':
      turns.add(
        readReasoning(item, at, SIGNER).map((block) => withStatus(block, item)),
        true,
      )
      break
    case 'image_generation_call':
      if (!isFailedImage(item)) turns.add([readGenerated(item, at) ?? readHosted(item, at)])
      break
    case 'item_reference':
    case 'additional_tools':
    case 'compaction':
      turns.turn({
        role: 'user',
        at,
        blocks: [{ type: 'text', at, text: '', extensions: wholeExtensions(ID, { ...item, type }, true) }],
      })
      break
    default:
      if (type === undefined) throw wrong(`${at}.type`, 'the type of the item', item['type'])
      turns.add([isGatewaySearch(item) ? readGatewaySearch(item, at) : readHosted(item, at)])
  }
}

/** Type of an item. Messages and references can omit it. */
function typeOf(item: Json): string | undefined {
  const type = text(item['type'])
  if (type !== undefined) return type
  if (item['role'] !== undefined || item['content'] !== undefined) return 'message'
  return typeof item['id'] === 'string' ? 'item_reference' : undefined
}

/**
 * Preserves the status of an item from an unfinished response. For a response, its finish contains the same
 * information.
 */
function withStatus<N extends Node>(node: N, { status }: Json): N {
  if (status === undefined || status === null || status === 'completed') return node
  return keepExtensions(node, ID, { ...node.extensions?.fields, status })
}

const ROLES = ['user', 'assistant', 'system', 'developer'] as const
const MESSAGE: ReadonlySet<string> = new Set(['type', 'id', 'role', 'content', 'status'])

function readMessage(item: Json, at: string): Message {
  const role = ROLES.find((word) => word === item['role'])
  if (!role) throw unknownWord(`${at}.role`, item['role'], ROLES)
  const blocks = readContent(item['content'], `${at}.content`)
  const message: Message = { role: role === 'developer' ? 'system' : role, at, blocks }
  if (role === 'developer') message.developer = true
  const id = text(item['id'])
  if (id !== undefined) message.ref = id
  return withStatus(keepExtensions(message, ID, unknownFields(item, MESSAGE)), item)
}

function checkCall(item: Json, at: string): void {
  requiredString(item, 'call_id', at)
  requiredName(item, 'name', at)
  if (isCall(item)) stringField(item, item['type'] === 'custom_tool_call' ? 'input' : 'arguments', at)
}

const RESULT: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'output', 'name', 'status'])

function readResult(item: Json, at: string): ToolResultBlock {
  const id = requiredString(item, 'call_id', at)
  const block: ToolResultBlock = { type: 'tool-result', at, id, blocks: readOutput(item['output'], `${at}.output`) }
  if (item['type'] === 'custom_tool_call_output') block.custom = true
  const name = text(item['name'])
  if (name !== undefined) block.name = name
  const ref = text(item['id'])
  if (ref !== undefined) block.ref = ref
  return withStatus(keepExtensions(block, ID, unknownFields(item, RESULT)), item)
}

/** Reads the output of a tool. Some clients send a JSON object. */
function readOutput(output: unknown, path: string): Block[] {
  return isObject(output) ? [{ type: 'text', at: path, text: JSON.stringify(output) }] : readContent(output, path)
}
