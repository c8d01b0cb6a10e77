import { parseExact } from '../../canonical/exact.ts'
import type { Frame, Origin, StreamReader } from '../../canonical/format.ts'
import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { Part } from '../../canonical/part.ts'
import { BROKEN, CUT, EMPTY } from '../../canonical/stream-failure.ts'
import { extensionsOf, laterExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import type { UpstreamError } from '../../errors.ts'
import { type ChoiceReader, readChoiceStream } from './choice-read.ts'
import { readError } from './error.ts'
import { readHead } from './response-read.ts'
import { otherCounts, readUsage } from './usage.ts'
import { ID } from './wire.ts'

const FIELDS: ReadonlySet<string> = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'obfuscation'])

/**
 * Reads a stream. The finish is emitted at the end of the stream, since some servers repeat the finish reason in every
 * chunk, and usage may follow it.
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function readStream(origin: Origin = {}): StreamReader {
  const choices = new Map<number, ChoiceReader>()
  let head: { id?: string; model?: string; created?: number } = {}
  /** Unknown fields of the first chunk, and of later chunks. */
  let first: Json | undefined
  let later: Json | undefined
  /** Service tier of the latest chunk with one. */
  let tier: unknown
  let started = false
  let over = false

  const fail = (error: UpstreamError): Part[] => {
    over = true
    return [{ type: 'error', error }]
  }

  const start = (chunk: Json, out: Part[]): void => {
    if (started) {
      if (saysMore(chunk, first)) later = unknownFields(chunk, FIELDS, later)
      return
    }
    started = true
    head = readHead(chunk)
    first = unknownFields(chunk, FIELDS)
    const extensions = extensionsOf(ID, first)
    out.push({ type: 'start', ...head, ...(extensions && { extensions }) })
  }

  const choiceAt = (index: number): ChoiceReader => {
    const known = choices.get(index)
    if (known) return known
    const made = readChoiceStream(index, `${head.id ?? ''}.${head.created ?? 0}.${index}`, origin)
    choices.set(index, made)
    return made
  }

  const read = (chunk: Json): Part[] => {
    const out: Part[] = []
    const list = objects(chunk['choices'])
    tier = chunk['service_tier'] ?? tier
    const usage = readUsage(chunk['usage'], tier) ?? readUsage(list[0]?.['usage'], tier)
    if (list.length > 0 || usage) start(chunk, out)
    else if (Array.isArray(chunk['choices'])) later = unknownFields(chunk, FIELDS, later)
    if (usage) later = otherCounts(chunk['usage'], later)
    const whole = chunk['object'] === 'chat.completion'
    for (const choice of list) choiceAt(number(choice['index']) ?? 0).read(choice, whole, out)
    if (usage) out.push({ type: 'usage', usage })
    return out
  }

  const hasReasons = (): boolean => choices.size > 0 && [...choices.values()].every((choice) => choice.finished)

  const finish = (): Part[] => {
    over = true
    if (!started) return [{ type: 'error', error: { ...EMPTY, kind: 'upstream' } }]
    if (choices.size === 0) choiceAt(0)
    const out: Part[] = []
    for (const choice of choices.values()) choice.close(out)
    const rest = laterExtensions(ID, first, later)
    if (rest) out.push({ type: 'rest', extensions: rest })
    for (const choice of choices.values()) choice.finish(out)
    return out
  }

  return {
    get finishing() {
      return hasReasons()
    },
    push(frame) {
      if (over) return []
      if (!frame.data.startsWith('{')) {
        const said = frame.data.trim()
        if (said === '') return []
        if (said.startsWith('[DONE]')) return finish()
      }
      const chunk = parseExact(frame.data, '"arguments"')
      const error = errorIn(frame, chunk)
      if (error) return fail(error)
      return isObject(chunk) ? read(chunk) : fail(BROKEN)
    },
    end() {
      if (over) return []
      return hasReasons() ? finish() : fail(started ? CUT : EMPTY)
    },
  }
}

/** True if a chunk has fields that the first chunk did not have. Most of the thousands of chunks repeat them. */
function saysMore(chunk: Json, first: Json | undefined): boolean {
  for (const key in chunk) {
    if (!FIELDS.has(key) && chunk[key] !== null && chunk[key] !== first?.[key]) return true
  }
  return false
}

/** Error in a chunk, of the vendor, or of a server that imitates it. Routers report errors in a choice. */
export function errorIn(frame: Frame, chunk: unknown): UpstreamError | undefined {
  const value = Array.isArray(chunk) ? chunk[0] : chunk
  if (!isObject(value)) return frame.event === 'error' ? readError(0, value ?? frame.data) : undefined
  const bare =
    value['choices'] === undefined && value['usage'] === undefined && Boolean(text(value['message']) || value['detail'])
  if (value['error'] || value['object'] === 'error' || frame.event === 'error' || bare) return readError(0, value)
  const choices = value['choices']
  if (!Array.isArray(choices)) return undefined
  for (const choice of choices)
    if (isObject(choice) && (choice['error'] || choice['finish_reason'] === 'error')) return readError(0, choice)
  return undefined
}
