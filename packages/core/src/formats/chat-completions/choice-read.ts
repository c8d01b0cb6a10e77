import type { Block, Citation } from '../../canonical/block.ts'
import type { Origin } from '../../canonical/format.ts'
import { type Json, object, objects, text } from '../../canonical/json.ts'
import type { Delta, Part } from '../../canonical/part.ts'
import { extensionsOf, unknownFields } from '../../canonical/vendor-extensions.ts'
import { type CallReader, readCalls } from './calls-read.ts'
import { readAnnotations } from './citations.ts'
import { readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { readImages } from './media-read.ts'
import { readDetail, readExtraContent, readThinking } from './reasoning.ts'
import { CHOICE_FIELDS, functionCallOf, MESSAGE_FIELDS, wordsOf } from './response-read.ts'
import { ID } from './wire.ts'

/** Reader of a choice's chunks. Each method adds parts to `out`. */
export interface ChoiceReader {
  /**
   * Reads a choice.
   * @param whole true for a choice of a whole response, which is used only if no chunks came before.
   */
  read(choice: Json, whole: boolean, out: Part[]): void
  close(out: Part[]): void
  finish(out: Part[]): void
  /** True after a finish reason. */
  readonly finished: boolean
}

/**
 * Audio arrives in pieces that are not assembled. Only callers of this format can use them, and they get the original
 * bytes.
 */
const DELTA_FIELDS: ReadonlySet<string> = new Set([...MESSAGE_FIELDS].filter((key) => key !== 'audio'))

type DeltaKind = 'text' | 'reasoning' | 'refusal'

export function readChoiceStream(number: number, seed: string, origin: Origin): ChoiceReader {
  const choice = number === 0 ? {} : { choice: number }
  const at = `choices[${number}].delta`
  let next = 0
  let open: { kind: DeltaKind; index: number } | undefined
  let reason: string | undefined
  let refusal = false
  let fields: Json | undefined
  /** Length of the text so far, and offset of the last text block. Spans of citations refer to the whole text. */
  let length = 0
  let offset = 0
  /** True if reasoning is read from a plain field. The other fields repeat it. */
  let plainReasoning = false

  const start = (block: Block, out: Part[]): number => {
    closeOpen(out)
    const index = next++
    out.push({ type: 'block-start', index, block, ...choice })
    return index
  }
  const end = (index: number, out: Part[]): void => {
    out.push({ type: 'block-end', index, ...choice })
  }
  const delta = (index: number, value: Delta, out: Part[]): void => {
    out.push({ type: 'block-delta', index, delta: value, ...choice })
  }
  const closeOpen = (out: Part[]): void => {
    if (open) end(open.index, out)
    open = undefined
  }
  const opened = (kind: DeltaKind, out: Part[]): number => {
    if (open?.kind === kind) return open.index
    const index = start({ type: kind, text: '' }, out)
    if (kind === 'text') offset = length
    open = { kind, index }
    return index
  }
  const append = (kind: DeltaKind, value: unknown, out: Part[]): void => {
    if (typeof value !== 'string' || value === '') return
    delta(opened(kind, out), { text: value }, out)
    if (kind === 'text') length += value.length
  }
  const whole = (block: Block, out: Part[]): void => end(start(block, out), out)

  const calls: CallReader = readCalls(seed, { start, delta, end })

  const readSigned = (block: ReturnType<typeof readThinking>, out: Part[]): void => {
    if (block.redacted || block.extensions) {
      whole(block, out)
      return
    }
    if (!plainReasoning) append('reasoning', block.text, out)
    if (!block.signature) return
    delta(opened('reasoning', out), { signature: block.signature }, out)
    closeOpen(out)
  }

  const readReasoning = (message: Json, out: Part[]): void => {
    const plain = text(message['reasoning_content']) || text(message['reasoning'])
    if (plain) {
      plainReasoning = true
      append('reasoning', plain, out)
    }
    for (const item of objects(message['thinking_blocks']))
      readSigned(readThinking(item, `${at}.thinking_blocks`, origin.signer), out)
    for (const item of objects(message['reasoning_details']))
      readSigned(readDetail(item, `${at}.reasoning_details`, origin.signer), out)
  }

  const readContent = (content: unknown, out: Part[]): void => {
    append('text', content, out)
    for (const part of objects(content)) {
      if (part['type'] === 'thinking') append('reasoning', wordsOf(part['thinking']), out)
      else if (part['type'] === 'image_url') for (const image of readImages([part], `${at}.content`)) whole(image, out)
      else append('text', part['text'], out)
    }
  }

  const readMessage = (message: Json, out: Part[]): void => {
    if (isText(message)) {
      append('text', message['content'], out)
      return
    }
    readReasoning(message, out)
    readContent(message['content'], out)
    if (text(message['refusal'])) {
      refusal = true
      append('refusal', message['refusal'], out)
    }
    for (const image of readImages(message['images'], `${at}.images`)) whole(image, out)
    const citations = readAnnotations(message['annotations'])
    if (citations.length > 0) {
      const index = opened('text', out)
      delta(index, { citations: citations.map((citation) => within(citation, offset)) }, out)
    }
    const signature = readExtraContent(message)
    if (signature) delta(opened('text', out), { signature }, out)
    for (const fragment of objects(message['tool_calls'])) calls.read(fragment, out)
    const functionCall = functionCallOf(message)
    if (functionCall) calls.read({ index: -1, function: functionCall }, out)
    fields = unknownFields(message, DELTA_FIELDS, fields, 'delta.')
  }

  return {
    read(item, isWhole, out) {
      const message = object(item['delta']) ?? object(item['message'])
      if (message && !(isWhole && next > 0)) readMessage(message, out)
      const tokens = readLogprobs(item['logprobs'])
      if (tokens) out.push({ type: 'logprobs', tokens, ...choice })
      reason = text(item['finish_reason']) || reason
      fields = unknownFields(item, CHOICE_FIELDS, fields)
    },
    close(out) {
      closeOpen(out)
      calls.close(out)
    },
    finish(out) {
      const finish = readFinish(reason, { calls: calls.any, refusal })
      const extensions = extensionsOf(ID, fields)
      out.push({ type: 'finish', finish, ...choice, ...(extensions && { extensions }) })
    },
    get finished() {
      return reason !== undefined
    },
  }
}

/** True for a delta with only text. Most of the thousands of deltas are. */
function isText(message: Json): boolean {
  for (const key in message) if (key !== 'content') return false
  return typeof message['content'] === 'string'
}

/** Citation with a span in its block. A citation of an earlier block loses its span. */
function within(citation: Citation, offset: number): Citation {
  const { start, end, ...rest } = citation
  if (offset === 0 || start === undefined || end === undefined) return citation
  return start < offset ? rest : { ...rest, start: start - offset, end: end - offset }
}
