import type { Frame, ResponseSummary, UsageReader } from '../../canonical/format.ts'
import { compact, isObject, type Json, number, object, objects, parse } from '../../canonical/json.ts'
import { BROKEN } from '../../canonical/stream-failure.ts'
import type { UpstreamError } from '../../errors.ts'
import { isCall } from './calls-read.ts'
import { writeFailure } from './error.ts'
import { readFinish } from './finish.ts'
import { readHead } from './response-read.ts'
import { ENDS, errorIn, typeOf } from './stream-read.ts'
import { readUsage } from './usage.ts'

/** Matches events with the whole response, and errors. Quotes in the text of a delta are escaped. */
export const relevantFrames =
  /"type"\s*:\s*"(?:response\.(?:created|completed|incomplete|failed|done|cancelled)|error)"|"error"\s*:\s*\{|(?:^|[\r\n])event:\s*(?:response\.(?:created|completed|incomplete|failed|done|cancelled)|error)[\r\n]/

/** Usage and finish of a whole response. */
export function summarize(body: Json): ResponseSummary {
  const usage = readUsage(body)
  const items = idsIn(body)
  const finish = readFinish(body, { calls: hasCalls(body), refusal: false })
  return { ...named(body), ...(items.length > 0 && { items }), ...(usage && { usage }), finish }
}

/** Ids in a response that later requests can refer to. */
export function idsIn(body: Json): string[] {
  return objects(body['output']).flatMap((item) =>
    [item['id'], item['container_id']].filter((id) => typeof id === 'string'),
  )
}

/** Id and model of a response. */
function named(body: Json): Pick<ResponseSummary, 'id' | 'model'> {
  const { created: _, ...head } = readHead(body)
  return head
}

function hasCalls(body: Json): boolean {
  return objects(body['output']).some(isCall)
}

/** Usage reader of a stream that bypasses translation. */
export function usageReader(): UsageReader {
  const found: ResponseSummary = {}
  let error: UpstreamError | undefined
  let complete = false
  let created: unknown

  const note = (event: Json, type: unknown): ReturnType<UsageReader['push']> => {
    error = errorIn(event, type)
    if (error) return 'error'
    const response = object(event['response'])
    if (!ENDS.has(type)) {
      if (response) {
        Object.assign(found, named(response))
        created ??= response['created_at']
      }
      return 'content'
    }
    Object.assign(found, summarize(response ?? {}))
    complete = true
    return 'end'
  }

  const read = (frame: Frame): ReturnType<UsageReader['push']> => {
    if (frame.data.trim() === '') return 'idle'
    if (frame.data.startsWith('[DONE]')) return complete ? 'end' : 'content'
    const event = parse(frame.data)
    if (isObject(event)) return note(event, typeOf(event, frame))
    error = BROKEN
    return 'error'
  }

  return {
    push(frame) {
      if (error) return 'error'
      return complete ? 'end' : read(frame)
    },
    summary: found,
    fail(failure, requestId, last) {
      const { id = `resp_${requestId}`, model } = found
      const event = last && parse(last.data)
      const before = isObject(event) ? number(event['sequence_number']) : undefined
      const response = compact<Json>({ id, object: 'response', created_at: created, model, output: [] })
      return writeFailure(failure, { response, next: before === undefined ? 0 : before + 1 })
    },
    get error() {
      return error
    },
    get complete() {
      return complete
    },
  }
}
