import { type Block, type HostedResultBlock, isOwnSearch, type ToolCallBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { isOwn, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { splitName } from './blocks-write.ts'
import { writeHosted } from './hosted.ts'
import { type EventTemplate, eventTemplate, type Items } from './items.ts'
import { writeGenerated } from './media-write.ts'
import { ID } from './wire.ts'

/** Writer of calls of the caller's tools. */
export interface CallWriter {
  start(block: ToolCallBlock): void
  add(delta: Delta): void
  stop(): void
}

interface OpenCallItem {
  readonly block: ToolCallBlock
  readonly item: Json
  readonly place: EventTemplate
  /** Arguments so far. */
  text: string
  isSignedLate: boolean
}

/** Names of events and fields for calls of functions and of custom tools. */
const FUNCTION = { type: 'function_call', field: 'arguments', event: 'response.function_call_arguments', prefix: 'fc' }
const CUSTOM = { type: 'custom_tool_call', field: 'input', event: 'response.custom_tool_call_input', prefix: 'ctc' }

export function writeCalls(items: Items, { tools = [] }: ChatRequest, losses: Loss[]): CallWriter {
  const { events } = items
  const namespaces = new Map<string, string>()
  for (const tool of tools)
    if (tool.type !== 'hosted' && tool.namespace !== undefined) namespaces.set(tool.name, tool.namespace)
  let call: OpenCallItem | undefined

  const ask = (open: OpenCallItem, piece: string): void => {
    if (piece === '') return
    open.text += piece
    events.piece(open.place, piece)
  }

  return {
    start(block) {
      const words = block.custom ? CUSTOM : FUNCTION
      const name = splitName(block.name, block.namespace ?? namespaces.get(block.name))
      const item: Json = { id: block.ref ?? items.idOf(words.prefix), type: words.type, call_id: block.id, ...name }
      writeExtensions(block, ID, item, losses)
      const place = eventTemplate(
        `${words.event}.delta`,
        items.begin({ ...item, status: 'in_progress', [words.field]: '' }),
      )
      call = { block, item, place, text: '', isSignedLate: false }
      ask(call, block.arguments)
    },
    add(delta) {
      if (!call) return
      if (delta.signature) call.isSignedLate = true
      ask(call, delta.arguments ?? '')
    },
    stop() {
      const open = call
      call = undefined
      if (!open) return
      const { block, item } = open
      const words = block.custom ? CUSTOM : FUNCTION
      if (open.text === '' && !block.custom) ask(open, '{}')
      if (open.isSignedLate) dropped(losses, under(block, 'signature'), 'it arrived after the start of its block')
      const said = { [words.field]: open.text }
      events.event(`${words.event}.done`, items.within(item, block.custom ? said : { name: item['name'], ...said }))
      items.finish({ ...item, status: item['status'] ?? 'completed', ...said })
    },
  }
}

/** Events between the start and the end of a hosted tool's item. */
const STEPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['web_search_call', ['in_progress', 'searching', 'completed']],
  ['file_search_call', ['in_progress', 'searching', 'completed']],
  ['code_interpreter_call', ['in_progress', 'interpreting', 'completed']],
  ['image_generation_call', ['in_progress', 'generating', 'completed']],
  ['mcp_call', ['in_progress', 'completed']],
  ['mcp_list_tools', ['in_progress', 'completed']],
])

interface OtherOptions {
  /** Result of executed code. */
  readonly result?: HostedResultBlock | undefined
  /** True for an image whose item was begun by {@link beginImage}. */
  readonly isBegun?: boolean | undefined
}

/** Writes a block that is a complete item, such as a hosted call. */
export function writeOther(
  items: Items,
  block: Block,
  losses: Loss[],
  { result, isBegun = false }: OtherOptions = {},
): void {
  // The results of a gateway search are cited, and not an item.
  if (isOwnSearch(block) && block.type === 'hosted-result') return
  const item = itemOf(items, block, result)
  for (const node of result ? [block, result] : [block])
    if (!isOwn(node, ID)) writeExtensions(node, ID, {}, losses, (key) => item !== undefined && CODE.has(key))
  if (!item) {
    const reason =
      block.type === 'media' ? 'responses of this format cannot contain it' : 'a hosted tool of another provider'
    dropped(losses, block.at ?? block.type, reason)
    return
  }
  const type = String(item['type'])
  const steps = STEPS.get(type) ?? []
  if (!isBegun) items.begin(steps.length > 0 ? begun(item) : item)
  const rest = isBegun ? steps.slice(-1) : item['status'] === 'failed' ? steps.slice(0, -1) : steps
  for (const step of rest) items.events.event(`response.${type}.${step}`, items.within(item, {}))
  items.finish(item)
}

const IMAGE_CALL = 'image_generation_call'

/** Begins the item of an image that is being created. */
export function beginImage(items: Items, id: string): void {
  const item: Json = { id, type: IMAGE_CALL, status: 'in_progress', result: null }
  items.begin(item)
  for (const step of ['in_progress', 'generating'])
    items.events.event(`response.${IMAGE_CALL}.${step}`, items.within(item, {}))
}

/** Ends the item of an image that was not created. */
export function failImage(items: Items, id: string): void {
  items.finish({ id, type: IMAGE_CALL, status: 'failed', result: null })
}

/** An item at its beginning. The image of a call follows in the finished item, so that it is sent once. */
function begun(item: Json): Json {
  return { ...item, status: 'in_progress', ...(item['type'] === 'image_generation_call' && { result: null }) }
}

/** Fields of other formats for executed code and its result. */
const CODE: ReadonlySet<string> = new Set(['executableCode', 'codeExecutionResult'])

function itemOf(items: Items, block: Block, result: HostedResultBlock | undefined): Json | undefined {
  if (block.type === 'media') return writeGenerated(block, items.idOf('ig'))
  if (block.type === 'hosted-call') return writeHosted(block, block.id || items.idOf('hc'), result)
  return block.type === 'hosted-result' ? writeHosted(block, '') : undefined
}
