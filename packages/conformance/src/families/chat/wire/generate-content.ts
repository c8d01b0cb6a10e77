import type { Json } from '@headgate/core/provider'
import { compact, isObject, number, object, objects, text } from '../../../json.ts'
import type { AnswerMeaning, ReadAnswer, Tokens } from '../meaning.ts'
import { callOf } from './checks.ts'
import { payloads, readFrames } from './frames.ts'
import { readRequest } from './generate-content-request.ts'
import type { Wire } from './wire.ts'

const FINISH: Readonly<Record<string, AnswerMeaning['finish']>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
}

/** @see https://ai.google.dev/api/generate-content */
export const generateContent: Wire = {
  id: 'generate-content',
  path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (given) => given,
  readRequest,
  refuses,
  readAnswer,
  readStream,
  readError(body) {
    const { code, message, status } = object(object(body)['error'])
    return typeof code === 'number' && typeof status === 'string' && typeof message === 'string' ? message : undefined
  },
  followUp(given, answer, results) {
    const content = object(object(objects(object(answer)['candidates'])[0])['content'])
    const calls = objects(content['parts']).flatMap(({ functionCall }) =>
      isObject(functionCall) ? [functionCall] : [],
    )
    const parts = calls.map(({ id, name }, index) => ({
      functionResponse: compact({ id, name, response: { output: results[index] } }),
    }))
    return { ...given, contents: [...objects(given['contents']), content, { role: 'user', parts }] }
  },
}

const KNOWN = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'labels',
  'serviceTier',
  'store',
])

function refuses(body: Json): string[] {
  const { safetySettings } = body
  return [
    ...Object.keys(body)
      .filter((name) => !KNOWN.has(name))
      .map((name) => `unknown name "${name}"`),
    ...(safetySettings === undefined || Array.isArray(safetySettings) ? [] : ['`safetySettings` is not a list']),
  ]
}

function readAnswer(body: unknown): ReadAnswer {
  const answer = object(body)
  const candidate = object(objects(answer['candidates'])[0])
  const content = object(candidate['content'])
  const parts = objects(content['parts'])
  const called = parts.filter(({ functionCall }) => isObject(functionCall))
  const problems = [
    ...(content['role'] === 'model' ? [] : ['the role of the content is not "model"']),
    ...(called.every(({ functionCall }) => text(object(functionCall)['name']) !== '')
      ? []
      : ['a functionCall has no name']),
  ]
  const joined = (thought: boolean) =>
    parts
      .filter((part) => (part['thought'] === true) === thought)
      .map((part) => text(part['text']))
      .join('')
  // The format has no separate finish reason for function calls: they end with STOP.
  const finish = FINISH[text(candidate['finishReason'])] ?? 'unknown'
  const meaning = compact<AnswerMeaning>({
    text: joined(false),
    reasoning: joined(true),
    calls: called.map(({ functionCall, thoughtSignature }) => {
      const { name, args = {} } = object(functionCall)
      return callOf(text(name), args, text(thoughtSignature))
    }),
    finish: finish === 'stop' && called.length > 0 ? 'tool-calls' : finish,
    usage: readUsage(answer['usageMetadata'], problems),
  })
  return { meaning, problems }
}

/** `candidatesTokenCount` excludes reasoning. Counts of 0 are omitted. */
function readUsage(given: unknown, problems: string[]): Tokens | undefined {
  if (!isObject(given)) return undefined
  const count = (key: string) => number(given[key]) ?? 0
  const input = count('promptTokenCount') + count('toolUsePromptTokenCount')
  const output = count('candidatesTokenCount') + count('thoughtsTokenCount')
  if (count('totalTokenCount') !== input + output)
    problems.push('`usageMetadata.totalTokenCount` is not the sum of its parts')
  return compact<Tokens>({ input, output, cacheRead: count('cachedContentTokenCount') || undefined })
}

function readStream(source: string): ReadAnswer {
  const { frames, problems } = readFrames(source)
  const chunks = payloads(frames, problems)
  const error = chunks.flatMap((chunk) => (isObject(chunk['error']) ? [text(chunk['error']['message'])] : []))[0]
  const whole = readAnswer(assemble(chunks))
  return {
    meaning: whole.meaning,
    problems: [...problems, ...(error === undefined ? whole.problems : [])],
    ...(error !== undefined && { error }),
  }
}

/** Response that a client assembles from chunks: parts in order, and the last value of each count. */
function assemble(chunks: readonly Json[]): Json {
  const candidates = chunks.flatMap((chunk) => objects(chunk['candidates']))
  const contents = candidates.map((candidate) => object(candidate['content']))
  const finish = candidates.flatMap(({ finishReason }) => (typeof finishReason === 'string' ? [finishReason] : []))
  return {
    candidates: [
      {
        content: {
          role: contents.find(({ role }) => role !== undefined)?.['role'],
          parts: contents.flatMap(({ parts }) => objects(parts)),
        },
        finishReason: finish.at(-1),
      },
    ],
    usageMetadata: Object.assign({}, ...chunks.map(({ usageMetadata }) => object(usageMetadata))),
  }
}
