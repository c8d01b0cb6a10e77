import {
  type Block,
  BROKEN,
  CUT,
  type Delta,
  type Frame,
  HeadgateError,
  isObject,
  type Json,
  number,
  object,
  type Part,
  parse,
  type StreamReader,
  text,
} from '@headgate/core/codec'
import { readCall, readCitation, readContent, readFinish, readUsage } from './response.ts'

/**
 * Reads a stream. Cohere numbers blocks by kind: plan, content, calls. Text stays open until the end, because citations
 * can follow it.
 */
export function readStream(): StreamReader {
  const indices = new Map<string, number>()
  const open = new Set<number>()
  let over = false
  let count = 0

  const start = (key: string, block: Block): Part[] => {
    if (indices.has(key)) return []
    const index = count++
    indices.set(key, index)
    open.add(index)
    return [{ type: 'block-start', index, block }]
  }
  const add = (key: string, delta: Delta): Part[] => {
    const index = indices.get(key)
    return index === undefined || !open.has(index) ? [] : [{ type: 'block-delta', index, delta }]
  }
  const close = (key: string): Part[] => {
    const index = indices.get(key)
    return index !== undefined && open.delete(index) ? [{ type: 'block-end', index }] : []
  }
  const fail = (error: Extract<Part, { type: 'error' }>['error']): Part[] => {
    over = true
    return [{ type: 'error', error }]
  }
  const finished = (delta: Json): Part[] => {
    over = true
    try {
      const finish = readFinish(delta['finish_reason'])
      const usage = readUsage(delta['usage'])
      const ends = [...open].map((index): Part => ({ type: 'block-end', index }))
      return [...ends, ...(usage ? [{ type: 'usage', usage } as const] : []), { type: 'finish', finish }]
    } catch (error) {
      if (HeadgateError.is(error)) return [{ type: 'error', error: { kind: error.kind, message: error.message } }]
      throw error
    }
  }

  const read = (event: Json): Part[] => {
    const delta = object(event['delta']) ?? {}
    const message = object(delta['message']) ?? {}
    const index = number(event['index']) ?? 0
    const [content, calls] = [object(message['content']) ?? {}, object(message['tool_calls']) ?? {}]
    switch (event['type']) {
      case 'message-start': {
        const id = text(event['id'])
        return [{ type: 'start', ...(id !== undefined && { id }) }]
      }
      case 'content-start': {
        const block = readContent(content)
        const said = 'text' in block ? (block.text ?? '') : ''
        const key = `content ${index}`
        return [...start(key, emptied(block)), ...(said === '' ? [] : add(key, { text: said }))]
      }
      case 'content-delta':
        return add(`content ${index}`, { text: text(content['thinking']) ?? text(content['text']) ?? '' })
      case 'content-end':
        return []
      case 'tool-plan-delta':
        return [
          ...start('plan', { type: 'reasoning', text: '' }),
          ...add('plan', { text: text(message['tool_plan']) ?? '' }),
        ]
      case 'tool-call-start': {
        const call = readCall(calls)
        const key = `call ${index}`
        return [
          ...close('plan'),
          ...start(key, { ...call, arguments: '' }),
          ...(call.arguments === '' ? [] : add(key, { arguments: call.arguments })),
        ]
      }
      case 'tool-call-delta':
        return add(`call ${index}`, { arguments: text(object(calls['function'])?.['arguments']) ?? '' })
      case 'tool-call-end':
        return close(`call ${index}`)
      case 'citation-start': {
        const citation = object(message['citations'])
        return citation
          ? add(`content ${number(citation['content_index']) ?? 0}`, { citations: [readCitation(citation)] })
          : []
      }
      case 'message-end':
        return typeof delta['error'] === 'string'
          ? fail({ kind: 'upstream', message: delta['error'] })
          : finished(delta)
      default:
        return []
    }
  }
  return {
    get finishing() {
      return over
    },
    push({ data }: Frame) {
      if (over || data === '' || data.startsWith('[DONE]')) return []
      const event = parse(data)
      if (!isObject(event)) return fail(BROKEN)
      return typeof event['type'] === 'string' || event['message'] === undefined
        ? read(event)
        : fail({ kind: 'upstream', message: text(event['message']) ?? 'The provider reported an error.' })
    },
    end: () => (over ? [] : fail(CUT)),
  }
}

function emptied(block: Block): Block {
  return block.type === 'text' || block.type === 'reasoning' ? { ...block, text: '' } : block
}
