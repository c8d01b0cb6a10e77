import type { Block } from '../../canonical/block.ts'
import { parseExact } from '../../canonical/exact.ts'
import type { Frame, Origin, StreamReader } from '../../canonical/format.ts'
import { isObject, type Json, number, object, objects, text } from '../../canonical/json.ts'
import type { Delta, Part } from '../../canonical/part.ts'
import { BROKEN, CUT } from '../../canonical/stream-failure.ts'
import { extensionsOf, laterExtensions } from '../../canonical/vendor-extensions.ts'
import type { UpstreamError } from '../../errors.ts'
import { readCitation } from './citations.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { signatureIn } from './reasoning.ts'
import { endFields, lateFields, readHead, readResponseBlock, signerOf, startFields } from './response-read.ts'
import { laterUsage, readUsage } from './usage.ts'
import { ID } from './wire.ts'

/** Block that the upstream has opened. */
interface MessagesOpenBlock {
  /** Index in the canonical stream. */
  readonly index: number
  readonly type: Block['type']
  /** Arguments in the start event, as JSON. Used if no other arguments follow. */
  readonly given: string
  /** True after further arguments. */
  written: boolean
}

/** Reader of block events. */
interface BlocksReader {
  /** True after a tool call. */
  readonly calls: boolean
  /** Starts a block. */
  start(wire: number, block: Json): Part[]
  /** Starts a block, or a summary of the conversation, which is emitted when it is complete. */
  begin(wire: number | undefined, block: Json): Part[]
  add(wire: number, delta: Json): Part[]
  close(wire: number): Part[]
  closeAll(): Part[]
}

/** Wire index of complete blocks in `message_start`. */
const WHOLE = -1

/** Creates a reader that renumbers blocks, since servers that imitate the vendor number them inconsistently. */
function createBlocksReader(signer: string | undefined): BlocksReader {
  const open = new Map<number, MessagesOpenBlock>()
  /** Incomplete summaries. */
  const summaries = new Map<number, Json>()
  let count = 0
  let calls = false

  const start = (wire: number, block: Json): Part[] => {
    const before = close(wire)
    const read = readResponseBlock(block, signer)
    if (read.type === 'tool-call') calls = true
    const streamed = emptied(read)
    open.set(wire, { index: count, type: read.type, given: 'arguments' in read ? read.arguments : '', written: false })
    const parts: Part[] = [...before, { type: 'block-start', index: count, block: streamed }]
    if ('text' in read && streamed !== read && read.text)
      parts.push({ type: 'block-delta', index: count, delta: { text: read.text } })
    count += 1
    return parts
  }

  const close = (wire: number): Part[] => {
    const summary = summaries.get(wire)
    if (summary) {
      summaries.delete(wire)
      return [...start(wire, summary), ...close(wire)]
    }
    const block = open.get(wire)
    if (!block) return []
    open.delete(wire)
    const end: Part = { type: 'block-end', index: block.index }
    const owed = (block.type === 'tool-call' || block.type === 'hosted-call') && !block.written
    return owed ? [{ type: 'block-delta', index: block.index, delta: { arguments: block.given || '{}' } }, end] : [end]
  }

  const addToImplied = (wire: number, delta: Json): Part[] => {
    const type = IMPLIED.get(delta['type'])
    return type === undefined ? [] : [...start(wire, { type }), ...add(wire, delta)]
  }

  const add = (wire: number, delta: Json): Part[] => {
    const summary = summaries.get(wire)
    if (summary) {
      const more = text(delta['content'])
      if (more) summary['content'] = (text(summary['content']) ?? '') + more
      return []
    }
    const block = open.get(wire)
    if (!block) return addToImplied(wire, delta)
    const read = readDelta(delta, signer)
    if (!read) return []
    if (read.arguments !== undefined) block.written = true
    return [{ type: 'block-delta', index: block.index, delta: read }]
  }

  return {
    get calls() {
      return calls
    },
    begin(wire = count, block) {
      if (block['type'] !== 'compaction') return start(wire, block)
      const before = close(wire)
      summaries.set(wire, { ...block })
      return before
    },
    start,
    add,
    close,
    closeAll: () => [...open.keys(), ...summaries.keys()].flatMap(close),
  }
}

/**
 * Reader of a stream of named events. Usage counts are totals; only `message_stop` completes the stream.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function readStream(origin?: Origin): StreamReader {
  const blocks = createBlocksReader(signerOf(origin))
  let usage: Json | undefined
  /** Fields of `message_start` without a canonical member. */
  let first: Json | undefined
  let finished = false
  let over = false

  const countUsage = (value: unknown): Part[] => {
    usage = laterUsage(usage, value)
    const read = isObject(value) ? readUsage(usage) : undefined
    return read ? [{ type: 'usage', usage: read }] : []
  }

  const finish = (end: Json, delta: Json = {}): Part[] => {
    if (finished) return []
    finished = true
    const rest = laterExtensions(ID, first, lateFields(delta, usage))
    const extensions = extensionsOf(ID, endFields(end))
    return [
      ...blocks.closeAll(),
      ...(rest ? [{ type: 'rest' as const, extensions: rest }] : []),
      { type: 'finish', finish: readFinish(end, blocks.calls), ...(extensions && { extensions }) },
    ]
  }

  const begin = (message: Json): Part[] => {
    first = startFields(message)
    const extensions = extensionsOf(ID, first)
    const parts: Part[] = [{ type: 'start', ...readHead(message), ...(extensions && { extensions }) }]
    // Results of earlier tool runs can be part of the start.
    for (const block of objects(message['content'])) parts.push(...blocks.start(WHOLE, block), ...blocks.close(WHOLE))
    return [...parts, ...countUsage(message['usage'])]
  }

  const fail = (error: UpstreamError): Part[] => {
    over = true
    return [{ type: 'error', error }]
  }

  const read = (event: Json, type: unknown): Part[] => {
    switch (type) {
      case 'message_start':
        return begin(object(event['message']) ?? {})
      case 'content_block_start':
        return isObject(event['content_block']) ? blocks.begin(number(event['index']), event['content_block']) : []
      case 'content_block_delta':
        return isObject(event['delta']) ? blocks.add(number(event['index']) ?? 0, event['delta']) : []
      case 'content_block_stop':
        return blocks.close(number(event['index']) ?? 0)
      case 'message_delta': {
        const delta = object(event['delta']) ?? {}
        const parts = countUsage(event['usage'])
        return text(delta['stop_reason']) ? [...parts, ...finish({ ...event, ...delta }, delta)] : parts
      }
      case 'message_stop':
        over = true
        return finish({})
      case 'error':
        return fail(readError(0, event))
      default:
        return []
    }
  }

  return {
    get finishing() {
      return finished
    },
    push(frame: Frame): Part[] {
      if (over) return []
      const event = parseExact(frame.data, '"input"')
      if (isObject(event)) return read(event, event['type'] ?? (event['error'] === undefined ? frame.event : 'error'))
      if (frame.data === '' || frame.data.startsWith('[DONE]')) return []
      return fail(BROKEN)
    },
    end(): Part[] {
      return over ? [] : fail(CUT)
    },
  }
}

/** Types of blocks whose start may be missing. */
const IMPLIED: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
])

/** Block at its start, without the content that deltas add. */
function emptied(block: Block): Block {
  if (block.type === 'tool-call' || block.type === 'hosted-call') return { ...block, arguments: '' }
  if ((block.type === 'text' || block.type === 'reasoning') && block.text !== '') return { ...block, text: '' }
  return block
}

function readDelta(delta: Json, signer: string | undefined): Delta | undefined {
  switch (delta['type']) {
    case 'text_delta':
      return { text: text(delta['text']) ?? '' }
    case 'thinking_delta':
      return { text: text(delta['thinking']) ?? '' }
    case 'input_json_delta': {
      const json = text(delta['partial_json'])
      return json ? { arguments: json } : undefined
    }
    case 'signature_delta':
      return signatureIn(delta['signature'], signer)
    case 'citations_delta':
      return isObject(delta['citation']) ? { citations: [readCitation(delta['citation'])] } : undefined
    default:
      return undefined
  }
}
