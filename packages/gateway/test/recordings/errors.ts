import { expect, it } from 'vitest'
import { isObject, type Json, text } from '../../../core/src/canonical/json.ts'
import { cut } from '../../../core/test/recordings/cuts.ts'
import { FORMATS, type FormatId, type Recording, typeOf } from '../../../core/test/recordings/recordings.ts'
import { smallRequest } from './ask.ts'
import { forEach, type Stage } from './stage.ts'

/** What went wrong, as a caller has to know it: what to do about it differs. */
type Failure = 'request' | 'context' | 'model' | 'gateway' | 'rate'

export function failureOf({ status, body }: Pick<Recording, 'status' | 'body'>): Failure {
  if (status === 429) return 'rate'
  if (status === 401 || status === 403) return 'gateway'
  if (status === 404 || body.includes('"model_not_found"')) return 'model'
  if (/"insufficient_quota"|Incorrect API key/.test(body)) return 'gateway'
  return /prompt is too long|exceeds the context window|prompt too long|maximum context length|too_many_prompt_tokens/.test(
    body,
  )
    ? 'context'
    : 'request'
}

export const STATUS: Readonly<Record<Failure, number>> = {
  request: 400,
  context: 400,
  model: 400,
  gateway: 500,
  rate: 429,
}

/** The words that the three formats have for each. */
export const WORDS: Readonly<Record<FormatId, Readonly<Record<Failure, string>>>> = {
  'chat-completions': {
    request: 'invalid_request_error',
    context: 'invalid_request_error context_length_exceeded',
    model: 'invalid_request_error model_not_found',
    gateway: 'server_error',
    rate: 'rate_limit_error rate_limit_exceeded',
  },
  messages: {
    request: 'invalid_request_error',
    context: 'invalid_request_error',
    model: 'not_found_error',
    gateway: 'api_error',
    rate: 'rate_limit_error',
  },
  'generate-content': {
    request: 'INVALID_ARGUMENT',
    context: 'INVALID_ARGUMENT',
    model: 'NOT_FOUND',
    gateway: 'INTERNAL',
    rate: 'RESOURCE_EXHAUSTED',
  },
  responses: {
    request: 'invalid_request_error',
    context: 'invalid_request_error context_length_exceeded',
    model: 'invalid_request_error model_not_found',
    gateway: 'server_error',
    rate: 'rate_limit_error rate_limit_exceeded',
  },
}

export function wordsIn(format: FormatId, error: Json): string {
  if (format === 'generate-content') return String(error['status'])
  const words = [error['type'], error['code']].map(text).filter((word) => word !== undefined)
  return words.join(' ')
}

export function errorIn(body: string): Json {
  const json = JSON.parse(body) as unknown
  return isObject(json) && isObject(json['error']) ? json['error'] : {}
}

export function errorsMeanTheSame(all: readonly Recording[], stage: Stage): void {
  const recordings = all.filter((recording) => recording.status >= 400)

  async function differs(recording: Recording, caller: FormatId): Promise<string[]> {
    const { id, format, status, body } = recording
    const due = failureOf(recording)
    const outcome = await stage.run({
      from: caller,
      to: format,
      model: 'model',
      stream: recording.stream,
      body: smallRequest(caller, 'model', recording.stream),
      served: { status, contentType: typeOf(recording), chunks: cut(Buffer.from(body), 'at random', id) },
      // Long enough to ask again, too short to wait as long as an upstream may ask.
      headers: { 'headgate-timeout-ms': '3000' },
    })
    const error = errorIn(outcome.body)
    const words = wordsIn(caller, error)
    return [
      ...(outcome.status === STATUS[due] ? [] : [`status is ${outcome.status}, due ${STATUS[due]}`]),
      ...(words === WORDS[caller][due] ? [] : [`it is called ${words}, due ${WORDS[caller][due]}`]),
      ...(due === 'gateway' || isTold(body, String(error['message'])) ? [] : ["the upstream's words are missing"]),
    ]
  }

  /** Whether what the upstream says went wrong is told, as far as it has words for it. */
  function isTold(body: string, message: string): boolean {
    const words = text(errorIn(body)['message'])
    return words === undefined || message.includes(words.trim().slice(0, 40))
  }

  it.each(FORMATS)('means the same to a caller of %s', async (caller) => {
    const problems: string[] = []
    await forEach(recordings, async (recording) => {
      for (const found of await differs(recording, caller)) problems.push(`${recording.id}: ${found}`)
    })
    expect(problems).toEqual([])
  })
}
