import type { Block } from '../../canonical/block.ts'
import type { SeenBlocks } from '../../canonical/finish.ts'
import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { Delta, Part } from '../../canonical/part.ts'
import { readTokens } from '../chat-completions/logprobs.ts'
import { isCall } from './calls-read.ts'
import { readAnnotations } from './citations.ts'
import { isSearch } from './hosted.ts'
import { BETWEEN, readReasoning, thoughtOf } from './reasoning.ts'
import { readAside, readSpoken } from './response-read.ts'

/** Reader of events of output items, their parts and deltas. */
export interface ItemsReader {
  /** Prefix of ids of calls without an id. Differs between responses. */
  seed: string
  read(event: Json, type: string): Part[]
  /** Ends open items, and reads items of the whole response that had no events. */
  end(output: readonly Json[]): Part[]
  /** Types of output so far, including searches. */
  readonly seen: SeenBlocks & { readonly output: readonly Json[] }
}

/** Open item. */
interface OpenItem {
  /** Item of its first event. */
  readonly item: Json
  /** Blocks of its parts by index, or its only block. */
  readonly blocks: Map<number, ItemBlock>
}

/** Open items by their index in the output. */
type OpenItems = Map<number, OpenItem>

interface ItemBlock {
  /** Index in the canonical stream. */
  readonly index: number
  /** Characters of its text or arguments so far. */
  length: number
  cited: boolean
  /** Index of the summary part of its last delta. */
  part: number
}

/** Index of the block in an item with one block. */
const ONLY = 0

/** Writer of canonical blocks. */
interface BlockWriter {
  readonly seen: { calls: boolean; refusal: boolean; readonly output: Json[] }
  start(item: OpenItem, part: number, block: Block): ItemBlock
  add(block: ItemBlock, delta: Delta): void
  stop(item: OpenItem, part: number): void
  stopAll(item: OpenItem): void
  /** Starts and ends a block. */
  whole(block: Block): void
  logprobs(value: unknown): void
  /** Returns the parts since the last call. */
  take(): Part[]
}

function createBlockWriter(): BlockWriter {
  const seen = { calls: false, refusal: false, output: [] as Json[] }
  let count = 0
  let out: Part[] = []
  const startAt = (block: Block): number => {
    if (block.type === 'tool-call') seen.calls = true
    if (block.type === 'refusal') seen.refusal = true
    out.push({ type: 'block-start', index: count, block: placeless(block) })
    return count++
  }
  const stop = (item: OpenItem, part: number): void => {
    const block = item.blocks.get(part)
    item.blocks.delete(part)
    if (block) out.push({ type: 'block-end', index: block.index })
  }
  return {
    seen,
    stop,
    start(item, part, block) {
      const begun: ItemBlock = { index: startAt(block), length: 0, cited: false, part: 0 }
      item.blocks.set(part, begun)
      return begun
    },
    add({ index }, delta) {
      out.push({ type: 'block-delta', index, delta })
    },
    stopAll(item) {
      for (const part of [...item.blocks.keys()]) stop(item, part)
    },
    whole(block) {
      out.push({ type: 'block-end', index: startAt(block) })
    },
    logprobs(value) {
      const tokens = readTokens(value)
      if (tokens) out.push({ type: 'logprobs', tokens })
    },
    take() {
      const parts = out
      out = []
      return parts
    },
  }
}

function placeOf(event: Json): number {
  return number(event['output_index']) ?? 0
}

/** Item of an event. Created if its start event is missing. */
function itemAt(open: OpenItems, event: Json, type?: string): OpenItem {
  const place = placeOf(event)
  const known = open.get(place)
  if (known) return known
  const id = text(event['item_id'])
  const made: OpenItem = {
    item: { ...(type !== undefined && { type }), ...(id !== undefined && { id }) },
    blocks: new Map(),
  }
  open.set(place, made)
  return made
}

/** Reader of events of messages. */
function createMessageReader(open: OpenItems, out: BlockWriter) {
  /** Indexes of messages whose parts had events. */
  const streamed = new Set<number>()

  /** Block of an event's part. Created if its start event is missing. */
  const blockAt = (event: Json, refusal: boolean): ItemBlock => {
    const item = itemAt(open, event, 'message')
    const part = number(event['content_index']) ?? 0
    const known = item.blocks.get(part)
    if (known) return known
    const place = `output[${placeOf(event)}].content[${part}]`
    const empty = refusal ? { type: 'refusal', refusal: '' } : { type: 'output_text', text: '' }
    return out.start(item, part, readSpoken(empty, place, item.item, item.blocks.size === 0))
  }

  /** Adds the rest of a complete part after its deltas. */
  const complete = (event: Json, part: Json, refusal: boolean): void => {
    streamed.add(placeOf(event))
    const block = blockAt(event, refusal)
    const whole = text(part[refusal ? 'refusal' : 'text']) ?? ''
    if (whole.length > block.length) out.add(block, { text: whole.slice(block.length) })
    block.length = Math.max(block.length, whole.length)
    if (block.cited) return
    const citations = readAnnotations(part['annotations'])
    if (citations.length === 0) return
    block.cited = true
    out.add(block, { citations })
  }

  return {
    delta(event: Json, refusal: boolean): void {
      streamed.add(placeOf(event))
      const block = blockAt(event, refusal)
      const piece = text(event['delta']) ?? ''
      block.length += piece.length
      if (piece !== '') out.add(block, { text: piece })
      out.logprobs(event['logprobs'])
    },
    complete,
    annotate(event: Json): void {
      streamed.add(placeOf(event))
      if (!isObject(event['annotation'])) return
      const block = blockAt(event, false)
      block.cited = true
      out.add(block, { citations: readAnnotations([event['annotation']]) })
    },
    endPart(event: Json): void {
      streamed.add(placeOf(event))
      const part = isObject(event['part']) ? event['part'] : {}
      if (part['type'] !== 'output_text' && part['type'] !== 'refusal') return
      complete(event, part, part['type'] === 'refusal')
      out.stop(itemAt(open, event), number(event['content_index']) ?? 0)
    },
    finish(begun: OpenItem, item: Json, place: number): void {
      if (begun.blocks.size === 0 && !streamed.has(place)) {
        for (const [index, part] of objects(item['content']).entries()) {
          out.whole(readSpoken(part, `output[${place}].content[${index}]`, item, index === 0))
          out.logprobs(part['logprobs'])
        }
      }
      out.stopAll(begun)
    },
  }
}

/** Reader of events of reasoning. */
function createReasoningReader(open: OpenItems, out: BlockWriter, signer: string | undefined) {
  return {
    /** Starts a block at its first delta, since only the end shows whether the reasoning is fully encrypted. */
    delta(event: Json, raw: boolean): void {
      const piece = text(event['delta']) ?? ''
      if (piece === '') return
      const item = itemAt(open, event, 'reasoning')
      const part = raw ? 1 : 0
      const known = item.blocks.get(part)
      if (!known && item.blocks.size > 0) out.stop(item, 1 - part)
      const block = known ?? out.start(item, part, thoughtOf(item.item, raw, placeOf(event)))
      const summary = number(event['summary_index']) ?? 0
      const between = !raw && summary > block.part && block.length > 0 ? BETWEEN : ''
      block.part = Math.max(block.part, summary)
      block.length += piece.length
      out.add(block, { text: between + piece })
    },
    finish(begun: OpenItem, item: Json, place: number): void {
      const blocks = readReasoning(item, `output[${place}]`, signer)
      if (begun.blocks.size === 0) {
        for (const block of blocks) out.whole(block)
        return
      }
      const signature = blocks.at(-1)?.signature
      const last = [...begun.blocks.values()].at(-1)
      if (signature && last) out.add(last, { signature })
      out.stopAll(begun)
    },
  }
}

export function readItemEvents(signer: string | undefined): ItemsReader {
  const open: OpenItems = new Map()
  /** Indexes (possibly with gaps) and ids of ended items. */
  const ended = new Set<number>()
  const endedIds = new Set<string>()
  const out = createBlockWriter()
  const messages = createMessageReader(open, out)
  const reasoning = createReasoningReader(open, out, signer)
  let seed = ''

  const asideOf = (item: Json, place: number): Block[] =>
    readAside(item, `output[${place}]`, `${seed}.${place}`, signer)

  const begin = (event: Json): void => {
    const item = isObject(event['item']) ? event['item'] : {}
    const place = number(event['output_index']) ?? open.size
    const begun: OpenItem = { item, blocks: new Map() }
    open.set(place, begun)
    if (!isCall(item)) return
    const [call] = asideOf(item, place)
    if (call?.type === 'tool-call') out.start(begun, ONLY, { ...call, arguments: '' })
  }

  const addArguments = (event: Json): void => {
    const block = itemAt(open, event).blocks.get(ONLY)
    const piece = text(event['delta']) ?? ''
    if (!block || piece === '') return
    block.length += piece.length
    out.add(block, { arguments: piece })
  }

  const finishCall = (begun: OpenItem, item: Json, place: number): void => {
    const [call] = asideOf(item, place)
    if (call?.type !== 'tool-call') return
    const block = begun.blocks.get(ONLY)
    if (!block) out.whole(call)
    else if (block.length === 0 && call.arguments !== '') out.add(block, { arguments: call.arguments })
    out.stop(begun, ONLY)
  }

  const finish = (item: Json, place: number): void => {
    const begun = open.get(place) ?? { item, blocks: new Map<number, ItemBlock>() }
    open.delete(place)
    ended.add(place)
    const id = text(item['id'])
    if (id !== undefined) endedIds.add(id)
    if (isSearch(item)) out.seen.output.push(item)
    if (item['type'] === 'message') messages.finish(begun, item, place)
    else if (isCall(item)) finishCall(begun, item, place)
    else if (item['type'] === 'reasoning') reasoning.finish(begun, item, place)
    else for (const block of asideOf(item, place)) out.whole(block)
  }

  const dispatch = (event: Json, type: string): void => {
    switch (type) {
      case 'response.output_item.added':
        begin(event)
        break
      case 'response.output_item.done':
        if (isObject(event['item'])) finish(event['item'], placeOf(event))
        break
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        messages.delta(event, type === 'response.refusal.delta')
        break
      case 'response.output_text.done':
      case 'response.refusal.done':
        messages.complete(event, event, type === 'response.refusal.done')
        break
      case 'response.output_text.annotation.added':
        messages.annotate(event)
        break
      case 'response.content_part.done':
        messages.endPart(event)
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        addArguments(event)
        break
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        reasoning.delta(event, type === 'response.reasoning_text.delta')
        break
    }
  }

  const hasEnded = (item: Json, place: number): boolean => {
    const id = text(item['id'])
    return id === undefined ? ended.has(place) : endedIds.has(id)
  }

  return {
    seen: out.seen,
    set seed(value: string) {
      seed = value
    },
    get seed() {
      return seed
    },
    read(event, type) {
      dispatch(event, type)
      return out.take()
    },
    end(output) {
      if (output.length > ended.size)
        for (const [place, item] of output.entries()) if (!hasEnded(item, place)) finish(item, place)
      for (const item of open.values()) out.stopAll(item)
      open.clear()
      return out.take()
    },
  }
}

/** Block without `at`, since blocks of a stream have no path in a body. */
function placeless(block: Block): Block {
  const begun = { ...block }
  delete begun.at
  return begun
}
