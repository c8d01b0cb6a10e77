import type { Frame, ResponseSummary, UsageReader } from '../../canonical/format.ts'
import { isObject, type Json, object, objects, parse, text } from '../../canonical/json.ts'
import type { Finish } from '../../canonical/response.ts'
import type { UpstreamError } from '../../errors.ts'
import { readBlocked, readFinish, reasonName } from './finish.ts'
import { errorIn } from './stream-read.ts'
import { readUsage, searchesOf } from './usage.ts'

/** Matches chunks with usage, a finish reason, or an error. Escaped quotes keep text from matching. */
export const relevantFrames = /"(?:usageMetadata|finishReason|promptFeedback|error)"/

/** Matches chunks that must be read immediately. Usage can wait, since only the last one counts. */
const DECISIVE = /"(?:finishReason|promptFeedback|error)"/
const CALL = /"functionCall"/

/** Usage and finish of a whole response. */
export function summarize(body: Json): ResponseSummary {
  const out: { -readonly [K in keyof ResponseSummary]: ResponseSummary[K] } = {}
  const [first] = objects(body['candidates'])
  const parts = objects(object(first?.['content'])?.['parts'])
  take(
    out,
    body,
    parts.some((part) => isObject(part['functionCall'])),
  )
  if (!out.finish && first) out.finish = { reason: 'stop' }
  return out
}

/** Adds the data of a chunk. */
function take(known: ResponseSummary, chunk: Json, calls: boolean): void {
  const id = text(chunk['responseId'])
  const model = text(chunk['modelVersion'])
  if (id) known.id = id
  if (model) known.model = model
  const [candidate] = objects(chunk['candidates'])
  const usage = readUsage(chunk['usageMetadata'])
  const searches = searchesOf(candidate?.['groundingMetadata'])
  const units = searches === undefined ? known.usage?.units : { searches }
  if (usage) known.usage = units === undefined ? usage : { ...usage, units }
  const finish = finishOf(chunk, candidate, calls)
  if (finish) known.finish = finish
}

function finishOf(chunk: Json, candidate: Json | undefined, calls: boolean): Finish | undefined {
  const name = reasonName(candidate?.['finishReason'])
  if (name !== undefined) return readFinish(name, candidate?.['finishMessage'], calls)
  return isObject(chunk['promptFeedback']) ? readBlocked(chunk['promptFeedback']) : undefined
}

/**
 * Usage reader of a stream that bypasses translation. Every chunk has usage, so a chunk with only usage is stored, and
 * read on request.
 */
export function usageReader(): UsageReader {
  const known: ResponseSummary = {}
  let waiting: string | undefined
  let calls = false
  let error: UpstreamError | undefined

  const read = (data: string): void => {
    waiting = undefined
    const value = parse(data)
    for (const chunk of Array.isArray(value) ? objects(value) : [value]) {
      if (!isObject(chunk)) continue
      error = errorIn(chunk) ?? error
      if (!error) take(known, chunk, calls)
    }
  }

  return {
    push(frame: Frame) {
      const { data } = frame
      if (data.trim() === '') return 'idle'
      calls ||= CALL.test(data)
      if (DECISIVE.test(data)) read(data)
      else waiting = data
      return error ? 'error' : 'content'
    },
    get summary() {
      if (waiting !== undefined) read(waiting)
      return known
    },
    get error() {
      return error
    },
    get complete() {
      return known.finish !== undefined && error === undefined
    },
  }
}
