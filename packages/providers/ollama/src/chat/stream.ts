import {
  BROKEN,
  CUT,
  compact,
  type Frame,
  type Json,
  object,
  objects,
  type Part,
  parseExact,
  type StreamReader,
  text,
} from '@headgate/core/codec'
import { readCall, readCreated, readFinish, readLogprobs, readUsage } from './response.ts'

/** Reads a stream. Each line is a chunk; the last one has `done`. Calls arrive whole. */
export function readStream(): StreamReader {
  let started = false
  let over = false
  let next = 0
  let calls = 0
  let open: { readonly type: 'text' | 'reasoning'; readonly index: number } | undefined

  const close = (out: Part[]): void => {
    if (open) out.push({ type: 'block-end', index: open.index })
    open = undefined
  }
  const append = (type: 'text' | 'reasoning', said: unknown, out: Part[]): void => {
    if (typeof said !== 'string' || said === '') return
    if (open?.type !== type) {
      close(out)
      open = { type, index: next++ }
      out.push({ type: 'block-start', index: open.index, block: { type, text: '' } })
    }
    out.push({ type: 'block-delta', index: open.index, delta: { text: said } })
  }
  const read = (body: Json, out: Part[]): void => {
    if (!started)
      out.push(
        compact<Part & { type: 'start' }>({ type: 'start', model: text(body['model']), created: readCreated(body) }),
      )
    started = true
    const message = object(body['message']) ?? {}
    append('reasoning', message['thinking'], out)
    append('text', message['content'], out)
    for (const call of objects(message['tool_calls'])) {
      close(out)
      const index = next++
      out.push({ type: 'block-start', index, block: readCall(call, calls++, body) }, { type: 'block-end', index })
    }
    const tokens = readLogprobs(body)
    if (tokens.length > 0) out.push({ type: 'logprobs', tokens })
    if (body['done'] !== true) return
    over = true
    close(out)
    const usage = readUsage(body)
    if (usage) out.push({ type: 'usage', usage })
    out.push({ type: 'finish', finish: readFinish(body, calls > 0) })
  }
  const fail = (error: Extract<Part, { type: 'error' }>['error']): Part[] => {
    over = true
    return [{ type: 'error', error }]
  }
  return {
    get finishing() {
      return over
    },
    push({ data }: Frame) {
      if (over || data.trim() === '') return []
      const body = object(parseExact(data, '"arguments"'))
      if (!body) return fail(BROKEN)
      if (body['error'] !== undefined)
        return fail({ kind: 'upstream', message: text(body['error']) ?? 'The provider reported an error.' })
      const out: Part[] = []
      read(body, out)
      return out
    },
    end: () => (over ? [] : fail(CUT)),
  }
}
