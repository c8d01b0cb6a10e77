import { parseExact } from '../../canonical/exact.ts'
import type { Frame, Origin, StreamReader } from '../../canonical/format.ts'
import { isObject, type Json, object, objects, text } from '../../canonical/json.ts'
import type { Part } from '../../canonical/part.ts'
import { laterSide, sideOf } from '../../canonical/side.ts'
import { BROKEN, CUT, EMPTY } from '../../canonical/stream-failure.ts'
import type { UpstreamError } from '../../errors.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { type ItemsReader, readItemEvents } from './items-read.ts'
import { answerFields, readHead, signerOf } from './response-read.ts'
import { readUsage } from './usage.ts'
import { ID } from './wire.ts'

/** How the stream of an answer ends. */
export const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.done'])

/**
 * Reads a stream of events. Only the event with the whole answer completes it; what that answer holds and no event has
 * told is read there.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function readStream(origin?: Origin): StreamReader {
  const items: ItemsReader = readItemEvents(signerOf(origin))
  /** What the start says of the answer beside what is known. */
  let first: Json | undefined
  let started = false
  let over = false

  const fail = (error: UpstreamError): Part[] => {
    over = true
    return [{ type: 'error', error }]
  }

  const start = (response: Json): Part[] => {
    if (started) return []
    started = true
    const head = readHead(response)
    first = answerFields({ ...response, usage: undefined })
    items.seed = head.id ?? ''
    const side = sideOf(ID, first)
    return [{ type: 'start', ...head, ...(side && { side }) }]
  }

  const finish = (response: Json): Part[] => {
    over = true
    const parts = [...start(response), ...items.end(objects(response['output']))]
    const usage = readUsage(response['output'] === undefined ? { ...response, output: items.seen.output } : response)
    if (usage) parts.push({ type: 'usage', usage })
    const rest = laterSide(ID, first, answerFields(response))
    if (rest) parts.push({ type: 'rest', side: rest })
    parts.push({ type: 'finish', finish: readFinish(response, items.seen) })
    return parts
  }

  const read = (event: Json, type: unknown): Part[] => {
    const error = errorIn(event, type)
    if (error) return fail(error)
    const response = object(event['response'])
    if (ENDS.has(type)) return finish(response ?? {})
    if (response) return start(response)
    if (!started && typeof type === 'string' && type.startsWith('response.'))
      return [...start({}), ...items.read(event, type)]
    return typeof type === 'string' ? items.read(event, type) : []
  }

  return {
    push(frame: Frame): Part[] {
      if (over || frame.data.trim() === '' || frame.data.startsWith('[DONE]')) return []
      const event = parseExact(frame.data, '"arguments"')
      return isObject(event) ? read(event, typeOf(event, frame)) : fail(BROKEN)
    },
    end(): Part[] {
      if (over) return []
      return fail(started ? CUT : EMPTY)
    },
  }
}

/** The type of an event, which some servers name in its frame only. */
export function typeOf(event: Json, frame: Frame): unknown {
  return text(event['type']) ?? (event['error'] ? 'error' : frame.event)
}

/** An in-band failure: as an event, or as the answer that failed. */
export function errorIn(event: Json, type: unknown): UpstreamError | undefined {
  if (type === 'error') return readError(0, event)
  if (type !== 'response.failed' && type !== 'response.cancelled') return undefined
  return readError(0, object(event['response']) ?? event)
}
