import {
  type Block,
  BROKEN,
  CUT,
  type Delta,
  type Frame,
  isObject,
  type Json,
  type Origin,
  object,
  objects,
  type Part,
  parse,
  type StreamReader,
  text,
  unknownFields,
} from '@headgate/core/codec'
import { readError } from './errors.ts'
import { indexOf, isHosted, readCitation, readFinish, readUsage, resultText, signatureOf } from './response.ts'
import { ID } from './writing.ts'

/** Block that the first delta implies if it has no start event. */
function implied({ reasoningContent }: Json): Block {
  if (!isObject(reasoningContent)) return { type: 'text', text: '' }
  return { type: 'reasoning', text: '', ...(reasoningContent['redactedContent'] !== undefined && { redacted: true }) }
}

function readDelta(delta: Json, origin: Origin | undefined): Delta | undefined {
  const { text: said, toolUse, reasoningContent, citation } = delta
  if (typeof said === 'string') return { text: said }
  if (isObject(toolUse)) return { arguments: text(toolUse['input']) ?? '' }
  if (isObject(citation)) return { citations: [readCitation(citation)] }
  if (!isObject(reasoningContent)) return undefined
  if (typeof reasoningContent['text'] === 'string') return { text: reasoningContent['text'] }
  return signatureOf(reasoningContent['signature'] ?? reasoningContent['redactedContent'], origin)
}

const COUNTED = new Set(['usage', 'metrics', 'serviceTier'])

/** Reads the events of ConverseStream. Results of built-in tools are emitted when they are complete. */
export function readStream(origin?: Origin): StreamReader {
  const open = new Set<number>()
  const results = new Map<number, { readonly id: string; name: string; text: string }>()
  const names = new Map<string, string>()
  let started = false
  let finish: Part | undefined
  let over = false

  const start = (index: number, block: Block): Part[] => {
    if (open.has(index)) return []
    open.add(index)
    return [{ type: 'block-start', index, block }]
  }
  const fail = (error: Extract<Part, { type: 'error' }>['error']): Part[] => {
    over = true
    return [{ type: 'error', error }]
  }
  const begin = (): Part[] => {
    if (started) return []
    started = true
    return [{ type: 'start' }]
  }
  const begun = (index: number, { toolUse, toolResult }: Json): Part[] => {
    if (isObject(toolUse)) {
      const call = { id: text(toolUse['toolUseId']) ?? '', name: text(toolUse['name']) ?? '', arguments: '' }
      names.set(call.id, call.name)
      return start(index, { type: isHosted(toolUse) ? 'hosted-call' : 'tool-call', ...call })
    }
    if (!isObject(toolResult)) return []
    const id = text(toolResult['toolUseId']) ?? ''
    results.set(index, { id, name: names.get(id) ?? 'tool', text: '' })
    return []
  }
  const added = (index: number, delta: Json): Part[] => {
    const result = results.get(index)
    if (result) {
      result.text += resultText(objects(delta['toolResult']))
      return []
    }
    const read = readDelta(delta, origin)
    return read ? [...start(index, implied(delta)), { type: 'block-delta', index, delta: read }] : []
  }
  const closed = (index: number): Part[] => {
    const result = results.get(index)
    results.delete(index)
    if (result)
      return [
        { type: 'block-start', index, block: { type: 'hosted-result', ...result } },
        { type: 'block-end', index },
      ]
    return open.delete(index) ? [{ type: 'block-end', index }] : []
  }
  const finished = (): Part[] => {
    over = true
    return [...[...open].map((index): Part => ({ type: 'block-end', index })), ...(finish ? [finish] : [])]
  }

  const read = (event: string | undefined, data: Json): Part[] => {
    switch (event) {
      case 'messageStart':
        return begin()
      case 'contentBlockStart':
        return [...begin(), ...begun(indexOf(data), object(data['start']) ?? {})]
      case 'contentBlockDelta':
        return [...begin(), ...added(indexOf(data), object(data['delta']) ?? {})]
      case 'contentBlockStop':
        return closed(indexOf(data))
      case 'messageStop':
        finish = { type: 'finish', finish: readFinish(data) }
        return []
      case 'metadata': {
        const usage = readUsage(data['usage'], data['serviceTier'])
        const fields = unknownFields(data, COUNTED)
        return [
          ...(usage ? [{ type: 'usage', usage } as const] : []),
          ...(fields ? [{ type: 'rest', extensions: { format: ID, fields } } as const] : []),
        ]
      }
      case 'error':
        return fail(readError(0, data))
      default:
        return []
    }
  }
  return {
    get finishing() {
      return finish !== undefined
    },
    push({ event, data }: Frame) {
      if (over) return []
      const value = object(parse(data))
      return value ? read(event, value) : fail(BROKEN)
    },
    end: () => (over ? [] : finish ? finished() : fail(CUT)),
  }
}
