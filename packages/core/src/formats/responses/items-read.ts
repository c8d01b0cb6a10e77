import type { Block } from '../../canonical/block.ts'
import type { Seen } from '../../canonical/finish.ts'
import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { Delta, Part } from '../../canonical/part.ts'
import { readTokens } from '../chat-completions/logprobs.ts'
import { isCall } from './calls-read.ts'
import { readAnnotations } from './citations.ts'
import { isSearch } from './hosted.ts'
import { BETWEEN, readReasoning, thoughtOf } from './reasoning.ts'
import { readAside, readSpoken } from './response-read.ts'

/** Reads the events that tell of items, their parts and the pieces of these. */
export interface ItemsReader {
  /** Makes the ids of calls that have none; it differs between answers. */
  seed: string
  read(event: Json, type: string): Part[]
  /** Ends what is open, and reads the items of the whole answer that no event has told. */
  end(output: readonly Json[]): Part[]
  /** What has occurred so far, and the searches among it. */
  readonly seen: Seen & { readonly output: readonly Json[] }
}

/** An item that the upstream has begun and not ended. */
interface OpenItem {
  /** As it began. */
  readonly item: Json
  /** Its parts, by their index, or the one block that it is. */
  readonly blocks: Map<number, OpenBlock>
}

interface OpenBlock {
  /** Its index in the canonical stream. */
  readonly index: number
  /** How much has come of its text or arguments. */
  length: number
  cited: boolean
  /** Index of the part of a summary that its last piece was of. */
  part: number
}

/** Within an item that is one block. */
const ONLY = 0

export function readItemEvents(signer: string | undefined): ItemsReader {
  const open = new Map<number, OpenItem>()
  /** Items that have ended: their places, which may have gaps, and their ids. */
  const ended = new Set<number>()
  const endedIds = new Set<string>()
  const seen = { calls: false, refusal: false, output: [] as Json[] }
  let count = 0
  let out: Part[] = []
  let seed = ''

  const start = (item: OpenItem, part: number, block: Block): OpenBlock => {
    if (block.type === 'tool-call') seen.calls = true
    if (block.type === 'refusal') seen.refusal = true
    const begun: OpenBlock = { index: count++, length: 0, cited: false, part: 0 }
    item.blocks.set(part, begun)
    out.push({ type: 'block-start', index: begun.index, block: placeless(block) })
    return begun
  }

  const add = ({ index }: OpenBlock, delta: Delta): void => {
    out.push({ type: 'block-delta', index, delta })
  }

  const stop = (item: OpenItem, part: number): void => {
    const block = item.blocks.get(part)
    item.blocks.delete(part)
    if (block) out.push({ type: 'block-end', index: block.index })
  }

  const whole = (block: Block): void => {
    const item: OpenItem = { item: {}, blocks: new Map() }
    start(item, ONLY, block)
    stop(item, ONLY)
  }

  const itemAt = (event: Json, type?: string): OpenItem => {
    const place = number(event['output_index']) ?? 0
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

  /** The part of a message that an event is of, begun where that was not told. */
  const spokenAt = (event: Json, refusal: boolean): OpenBlock => {
    const item = itemAt(event, 'message')
    const part = number(event['content_index']) ?? 0
    const known = item.blocks.get(part)
    if (known) return known
    const place = `output[${number(event['output_index']) ?? 0}].content[${part}]`
    const empty = refusal ? { type: 'refusal', refusal: '' } : { type: 'output_text', text: '' }
    return start(item, part, readSpoken(empty, place, item.item, item.blocks.size === 0))
  }

  const say = (event: Json, refusal: boolean): void => {
    const block = spokenAt(event, refusal)
    const piece = text(event['delta']) ?? ''
    block.length += piece.length
    if (piece !== '') add(block, { text: piece })
    const tokens = readTokens(event['logprobs'])
    if (tokens) out.push({ type: 'logprobs', tokens })
  }

  /** What a part amounts to tells what its pieces did not. */
  const said = (event: Json, part: Json, refusal: boolean): void => {
    const block = spokenAt(event, refusal)
    const amount = text(part[refusal ? 'refusal' : 'text']) ?? ''
    if (amount.length > block.length) add(block, { text: amount.slice(block.length) })
    block.length = Math.max(block.length, amount.length)
    if (block.cited) return
    const citations = readAnnotations(part['annotations'])
    if (citations.length === 0) return
    block.cited = true
    add(block, { citations })
  }

  const cite = (event: Json): void => {
    if (!isObject(event['annotation'])) return
    const block = spokenAt(event, false)
    block.cited = true
    add(block, { citations: readAnnotations([event['annotation']]) })
  }

  const endPart = (event: Json): void => {
    const part = isObject(event['part']) ? event['part'] : {}
    if (part['type'] === 'output_text' || part['type'] === 'refusal') {
      said(event, part, part['type'] === 'refusal')
      stop(itemAt(event), number(event['content_index']) ?? 0)
    }
  }

  const ask = (event: Json): void => {
    const block = itemAt(event).blocks.get(ONLY)
    const piece = text(event['delta']) ?? ''
    if (!block || piece === '') return
    block.length += piece.length
    add(block, { arguments: piece })
  }

  /** Thoughts begin with their first piece: whether they are encrypted as a whole is known at their end only. */
  const think = (event: Json, raw: boolean): void => {
    const piece = text(event['delta']) ?? ''
    if (piece === '') return
    const item = itemAt(event, 'reasoning')
    const part = raw ? 1 : 0
    const known = item.blocks.get(part)
    if (!known && item.blocks.size > 0) stop(item, 1 - part)
    const block = known ?? start(item, part, thoughtOf(item.item, raw, number(event['output_index']) ?? 0))
    const summary = number(event['summary_index']) ?? 0
    const between = !raw && summary > block.part && block.length > 0 ? BETWEEN : ''
    block.part = Math.max(block.part, summary)
    block.length += piece.length
    add(block, { text: between + piece })
  }

  const begin = (event: Json): void => {
    const item = isObject(event['item']) ? event['item'] : {}
    const place = number(event['output_index']) ?? open.size
    const begun: OpenItem = { item, blocks: new Map() }
    open.set(place, begun)
    if (!isCall(item)) return
    const [call] = readAside(item, `output[${place}]`, `${seed}.${place}`, signer)
    if (call?.type !== 'tool-call') return
    const block = start(begun, ONLY, { ...call, arguments: '' })
    block.length = 0
  }

  const finish = (item: Json, place: number): void => {
    const begun = open.get(place) ?? { item, blocks: new Map<number, OpenBlock>() }
    open.delete(place)
    ended.add(place)
    const id = text(item['id'])
    if (id !== undefined) endedIds.add(id)
    if (isSearch(item)) seen.output.push(item)
    if (item['type'] === 'message') finishMessage(begun, item, place)
    else if (isCall(item)) finishCall(begun, item, place)
    else if (item['type'] === 'reasoning') finishThought(begun, item, place)
    else for (const block of readAside(item, `output[${place}]`, `${seed}.${place}`, signer)) whole(block)
  }

  const finishMessage = (begun: OpenItem, item: Json, place: number): void => {
    const parts = objects(item['content'])
    if (begun.blocks.size === 0 && !told.has(place)) {
      parts.forEach((part, index) => {
        whole(readSpoken(part, `output[${place}].content[${index}]`, item, index === 0))
        const tokens = readTokens(part['logprobs'])
        if (tokens) out.push({ type: 'logprobs', tokens })
      })
    }
    for (const part of [...begun.blocks.keys()]) stop(begun, part)
  }

  const finishCall = (begun: OpenItem, item: Json, place: number): void => {
    const [call] = readAside(item, `output[${place}]`, `${seed}.${place}`, signer)
    if (call?.type !== 'tool-call') return
    const block = begun.blocks.get(ONLY)
    if (!block) whole(call)
    else if (block.length === 0 && call.arguments !== '') add(block, { arguments: call.arguments })
    stop(begun, ONLY)
  }

  const finishThought = (begun: OpenItem, item: Json, place: number): void => {
    const blocks = readReasoning(item, `output[${place}]`, signer)
    if (begun.blocks.size === 0) {
      for (const block of blocks) whole(block)
      return
    }
    const signature = blocks.at(-1)?.signature
    const last = [...begun.blocks.values()].at(-1)
    if (signature && last) add(last, { signature })
    for (const part of [...begun.blocks.keys()]) stop(begun, part)
  }

  /** Messages of which parts were told. */
  const told = new Set<number>()

  const dispatch = (event: Json, type: string): void => {
    const place = number(event['output_index']) ?? 0
    switch (type) {
      case 'response.output_item.added':
        begin(event)
        break
      case 'response.output_item.done':
        if (isObject(event['item'])) finish(event['item'], place)
        break
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        told.add(place)
        say(event, type === 'response.refusal.delta')
        break
      case 'response.output_text.done':
      case 'response.refusal.done':
        told.add(place)
        said(event, event, type === 'response.refusal.done')
        break
      case 'response.output_text.annotation.added':
        told.add(place)
        cite(event)
        break
      case 'response.content_part.done':
        told.add(place)
        endPart(event)
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        ask(event)
        break
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        think(event, type === 'response.reasoning_text.delta')
        break
    }
  }

  const isTold = (item: Json, place: number): boolean => {
    const id = text(item['id'])
    return id === undefined ? ended.has(place) : endedIds.has(id)
  }

  const taken = (): Part[] => {
    const parts = out
    out = []
    return parts
  }

  return {
    seen,
    set seed(value: string) {
      seed = value
    },
    get seed() {
      return seed
    },
    read(event, type) {
      dispatch(event, type)
      return taken()
    },
    end(output) {
      if (output.length > ended.size)
        for (const [place, item] of output.entries()) if (!isTold(item, place)) finish(item, place)
      for (const item of open.values()) for (const part of [...item.blocks.keys()]) stop(item, part)
      open.clear()
      return taken()
    },
  }
}

/** A stream's blocks have no place in a body. */
function placeless(block: Block): Block {
  const begun = { ...block }
  delete begun.at
  return begun
}
