import { parseExact } from '../../canonical/exact.ts'
import type { Frame, Origin, StreamReader } from '../../canonical/format.ts'
import { isObject, type Json, object, objects, text } from '../../canonical/json.ts'
import type { Part } from '../../canonical/part.ts'
import { BROKEN, CUT, EMPTY } from '../../canonical/stream-failure.ts'
import { extensionsOf, laterExtensions } from '../../canonical/vendor-extensions.ts'
import type { UpstreamError } from '../../errors.ts'
import { readError } from './error.ts'
import { readFinish } from './finish.ts'
import { type ItemsReader, readItemEvents } from './items-read.ts'
import { readHead, responseFields, signerOf } from './response-read.ts'
import { readUsage } from './usage.ts'
import { ID } from './wire.ts'

/** Types of the last event of a stream. */
export const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.done'])

/**
 * Reads a stream. Only the event with the whole response completes it. Content without earlier events is read from that
 * response.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function readStream(origin?: Origin): StreamReader {
  const items: ItemsReader = readItemEvents(signerOf(origin))
  /** Vendor extensions at the start of the response. */
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
    first = responseFields({ ...response, usage: undefined })
    items.seed = head.id ?? ''
    const extensions = extensionsOf(ID, first)
    return [{ type: 'start', ...head, ...(extensions && { extensions }) }]
  }

  const finish = (response: Json): Part[] => {
    over = true
    const parts = [...start(response), ...items.end(objects(response['output']))]
    const usage = readUsage(response['output'] === undefined ? { ...response, output: items.seen.output } : response)
    if (usage) parts.push({ type: 'usage', usage })
    const rest = laterExtensions(ID, first, responseFields(response))
    if (rest) parts.push({ type: 'rest', extensions: rest })
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

/** Type of an event. Some servers send it only in the frame. */
export function typeOf(event: Json, frame: Frame): unknown {
  return text(event['type']) ?? (event['error'] ? 'error' : frame.event)
}

/** Error in an event, or of a failed response. */
export function errorIn(event: Json, type: unknown): UpstreamError | undefined {
  if (type === 'error') return readError(0, event)
  if (type !== 'response.failed' && type !== 'response.cancelled') return undefined
  return readError(0, object(event['response']) ?? event)
}
