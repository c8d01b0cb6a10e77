import type { Seen } from '../caller.ts'
import { type Flavour, TOOL_ARGUMENTS, wordsOf } from '../scene.ts'
import type { Sequence } from '../sequence.ts'
import {
  type Ending,
  endingOf,
  isError,
  isValue,
  list,
  parseJson,
  type Read,
  readStream,
  said,
  type Value,
} from './stream.ts'

/** Statuses that a caller may get, as the table of failures has them. */
const STATUSES = [200, 400, 401, 403, 404, 405, 409, 413, 429, 500]
/** A wait that a caller may be told, in seconds: a day. */
const LONGEST_WAIT = 86_400
const HIDDEN = ['set-cookie', 'access-control-allow-origin', 'server', 'x-request-headers', 'content-encoding']

/** What an answer is, as its caller sees it. */
export interface Judged {
  readonly problems: readonly string[]
  readonly ending: Ending
}

function errorShape(format: Sequence['format'], value: unknown, status?: number): string[] {
  const error = isValue(value) ? value['error'] : undefined
  if (!isValue(error) || typeof error['message'] !== 'string' || error['message'] === '')
    return [`no error of the format ${format}: ${JSON.stringify(value)?.slice(0, 200)}`]
  if (format === 'chat-completions')
    return typeof error['type'] === 'string' && 'param' in error && 'code' in error
      ? []
      : [`an error without type, param or code`]
  if (format === 'messages')
    return isValue(value) && value['type'] === 'error' && typeof error['type'] === 'string'
      ? []
      : [`an error without its types`]
  const code = error['code']
  const fits =
    typeof code === 'number' && typeof error['status'] === 'string' && (status === undefined || code === status)
  return fits ? [] : [`an error whose code is ${JSON.stringify(code)}`]
}

function checkHeaders({ headers, status }: Seen): string[] {
  const problems = HIDDEN.filter((name) => headers[name] !== undefined).map((name) => `header ${name} came down`)
  if (!headers['x-request-id']) problems.push('no x-request-id')
  if (status === 429) {
    const wait = headers['retry-after'] ?? ''
    if (!/^\d+$/.test(wait) || Number(wait) < 1 || Number(wait) > LONGEST_WAIT)
      problems.push(`an absurd retry-after: ${wait}`)
  } else if (status !== 200 && headers['x-should-retry'] !== 'false') problems.push('no x-should-retry')
  return problems
}

function wholeShape(format: Sequence['format'], value: Value): boolean {
  if (format === 'messages') return Array.isArray(value['content'])
  if (format === 'chat-completions') return list(value['choices']).length > 0
  return list(value['candidates']).length > 0 || isValue(value['promptFeedback'])
}

/** Blocks of a messages stream are opened and closed one after the other. */
function checkBlocks({ events }: Read): string[] {
  const open = new Set<unknown>()
  const problems: string[] = []
  let begun = false
  for (const { value } of events) {
    if (!isValue(value)) continue
    const { type, index } = value
    if (type === 'message_start') begun = true
    else if (!begun && type !== 'ping' && type !== 'error') problems.push(`${String(type)} before message_start`)
    if (type === 'content_block_start') {
      if (open.has(index)) problems.push(`block ${String(index)} is opened twice`)
      open.add(index)
    } else if (type === 'content_block_delta' && !open.has(index))
      problems.push(`a delta of block ${String(index)}, which is not open`)
    else if (type === 'content_block_stop' && !open.delete(index))
      problems.push(`block ${String(index)} is closed, and was not open`)
    else if (type === 'message_stop' && open.size > 0) problems.push('the message ends with an open block')
  }
  return problems
}

function checkStream(sequence: Sequence, { headers, body }: Seen, passes: { junk: boolean; raw: boolean }): Judged {
  const { format, delivery } = sequence
  const read = readStream(body, delivery)
  const problems = [...read.problems]
  const type = String(headers['content-type'])
  if (!type.startsWith(delivery === 'sse' ? 'text/event-stream' : 'application/json'))
    problems.push(`content type ${type}`)
  for (const { event, data, value } of read.events) {
    if (value === undefined && data !== '[DONE]' && !passes.junk && data.trim() !== '')
      problems.push(`a frame that is no JSON: ${data.slice(0, 80)}`)
    if (isError(format, event, value) && !passes.raw) problems.push(...errorShape(format, value))
  }
  const ending = endingOf(format, read)
  const last = read.events.at(-1)
  if (ending === 'cut') problems.push(`the stream stops: ${last?.data.slice(0, 120)}`)
  if (!passes.raw) {
    if (format === 'messages') problems.push(...checkBlocks(read))
    if (format === 'chat-completions' && ending === 'whole' && last?.data !== '[DONE]')
      problems.push(`no [DONE]: ${last?.data.slice(0, 120)}`)
  }
  return { problems, ending }
}

/** Whether an answer says what a good one says. */
export function checkText(sequence: Sequence, { body }: Seen): string[] {
  const { format, delivery } = sequence
  const values = delivery === 'whole' ? [parseJson(body)] : readStream(body, delivery).events.map(({ value }) => value)
  const { text, calls } = said(format, values)
  const wanted = wantedOf(sequence.flavour)
  if (text !== wanted.text) return [`the text is ${JSON.stringify(text.slice(0, 200))}`]
  const same = wanted.calls === '' ? calls === '' : JSON.stringify(parseJson(calls)) === wanted.calls
  return same ? [] : [`the arguments are ${JSON.stringify(calls.slice(0, 200))}`]
}

function wantedOf(flavour: Flavour): { text: string; calls: string } {
  return flavour === 'call' ? { text: '', calls: TOOL_ARGUMENTS } : { text: wordsOf(flavour).join(''), calls: '' }
}

/**
 * Whether a caller can read its answer. `raw`: the bytes of an upstream pass, so that their order is its own; `junk`:
 * it sent what nobody can read.
 */
export function checkAnswer(sequence: Sequence, seen: Seen, passes: { junk: boolean; raw: boolean }): Judged {
  const { format, delivery } = sequence
  const { status, body } = seen
  if (seen.end !== 'whole')
    return {
      problems: [`the answer is ${seen.end} after ${status}, ${JSON.stringify(body.slice(-80))}`],
      ending: 'cut',
    }
  const problems = checkHeaders(seen)
  if (!STATUSES.includes(status)) problems.push(`status ${status}`)
  if (status === 200 && delivery !== 'whole') {
    const judged = checkStream(sequence, seen, passes)
    return { ...judged, problems: [...problems, ...judged.problems] }
  }
  const value = parseJson(body)
  if (status !== 200) return { problems: [...problems, ...errorShape(format, value, status)], ending: 'error' }
  if (!isValue(value)) problems.push(`the body is no JSON object: ${JSON.stringify(body.slice(0, 120))}`)
  else if (!wholeShape(format, value)) problems.push(`no answer of the format ${format}: ${body.slice(0, 200)}`)
  return { problems, ending: 'whole' }
}
