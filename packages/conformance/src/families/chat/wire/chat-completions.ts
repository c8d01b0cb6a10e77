import type { Json } from '@headgate/core/provider'
import { compact, isObject, number, object, objects, text } from '../../../json.ts'
import type { AnswerMeaning, ReadAnswer, Tokens } from '../meaning.ts'
import { readRequest } from './chat-completions-request.ts'
import { callOf, idProblems, parseArguments } from './checks.ts'
import { payloads, readFrames } from './frames.ts'
import type { Wire } from './wire.ts'

const FINISH: Readonly<Record<string, AnswerMeaning['finish']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
}

/** @see https://platform.openai.com/docs/api-reference/chat */
export const chatCompletions: Wire = {
  id: 'chat-completions',
  path: () => '/v1/chat/completions',
  body: (given, model, stream) => ({
    model,
    ...given,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  }),
  readRequest,
  refuses,
  readAnswer,
  readStream,
  readError(body) {
    const error = object(object(body)['error'])
    return typeof error['message'] === 'string' && typeof error['type'] === 'string' ? error['message'] : undefined
  },
  followUp(given, answer, results) {
    const message = object(object(objects(object(answer)['choices'])[0])['message'])
    const said = objects(message['tool_calls']).map((call, index) => ({
      role: 'tool',
      tool_call_id: call['id'],
      content: results[index],
    }))
    return { ...given, messages: [...objects(given['messages']), message, ...said] }
  },
}

/** `file_data` must be a data URL, although it is documented as base64. */
function refuses(body: Json): string[] {
  const files = objects(body['messages'])
    .flatMap(({ content }) => objects(content))
    .flatMap(({ file }) => (isObject(file) ? [text(file['file_data'])] : []))
  return [
    ...(text(body['model']) === '' ? ['`model` is missing'] : []),
    ...(files.every((data) => data.startsWith('data:')) ? [] : ['`file.file_data` is not a data URL']),
    ...(body['stream_options'] !== undefined && body['stream'] !== true ? ['`stream_options` requires `stream`'] : []),
  ]
}

function readAnswer(body: unknown): ReadAnswer {
  const answer = object(body)
  const choice = object(objects(answer['choices'])[0])
  const message = object(choice['message'])
  const calls = objects(message['tool_calls'])
  const problems = [
    ...(answer['object'] === 'chat.completion' ? [] : ['`object` is not "chat.completion"']),
    ...(text(answer['id']) === '' ? ['the response has no `id`'] : []),
    ...(message['role'] === 'assistant' ? [] : ['the role of the message is not "assistant"']),
    ...idProblems(calls.map(({ id }) => id)),
    ...(calls.every(({ type }) => type === 'function') ? [] : ['a tool call is not of type "function"']),
  ]
  const meaning = compact<AnswerMeaning>({
    text: text(message['content']),
    reasoning: text(message['reasoning_content']),
    calls: calls.map((call) => {
      const called = object(call['function'])
      return callOf(text(called['name']), parseArguments(text(called['arguments']), problems))
    }),
    finish: FINISH[text(choice['finish_reason'])] ?? 'unknown',
    usage: readUsage(answer['usage'], problems),
  })
  return { meaning, problems }
}

function readUsage(given: unknown, problems: string[]): Tokens | undefined {
  if (!isObject(given)) return undefined
  const input = number(given['prompt_tokens']) ?? -1
  const output = number(given['completion_tokens']) ?? -1
  if (given['total_tokens'] !== input + output)
    problems.push('`usage.total_tokens` is not the sum of prompt and completion')
  return compact<Tokens>({
    input,
    output,
    cacheRead: number(object(given['prompt_tokens_details'])['cached_tokens']) || undefined,
  })
}

function readStream(source: string): ReadAnswer {
  const { frames, problems } = readFrames(source)
  const error = payloads(
    frames.filter(({ data }) => data.startsWith('{"error"')),
    problems,
  ).map((frame) => text(object(frame['error'])['message']))[0]
  const done = frames.at(-1)?.data === '[DONE]'
  if (done === (error !== undefined))
    problems.push(done ? 'a stream with an error must not end with [DONE]' : 'the stream does not end with [DONE]')
  const chunks = payloads(
    frames.filter(({ data }) => data !== '[DONE]' && !data.startsWith('{"error"')),
    problems,
  )
  if (chunks.some((chunk) => chunk['object'] !== 'chat.completion.chunk'))
    problems.push('`object` of a frame is not "chat.completion.chunk"')
  if (new Set(chunks.map(({ id }) => id)).size > 1) problems.push('the frames have different ids')
  const whole = readAnswer(assemble(chunks))
  return {
    meaning: whole.meaning,
    problems: [...problems, ...(error === undefined ? whole.problems : [])],
    ...(error !== undefined && { error }),
  }
}

/** Completion that a client assembles from chunks: text is concatenated, calls are assembled by index. */
function assemble(chunks: readonly Json[]): Json {
  const choices = chunks.flatMap((chunk) => objects(chunk['choices']))
  const deltas = choices.map((choice) => object(choice['delta']))
  const joined = (key: string) => deltas.map((delta) => text(delta[key])).join('')
  const calls = new Map<unknown, { id: unknown; type: unknown; name: string; arguments: string }>()
  for (const piece of deltas.flatMap((delta) => objects(delta['tool_calls']))) {
    const call = calls.get(piece['index']) ?? { id: piece['id'], type: piece['type'], name: '', arguments: '' }
    const called = object(piece['function'])
    calls.set(piece['index'], {
      ...call,
      name: call.name || text(called['name']),
      arguments: call.arguments + text(called['arguments']),
    })
  }
  const message = {
    role: deltas.find(({ role }) => role !== undefined)?.['role'],
    content: joined('content'),
    reasoning_content: joined('reasoning_content'),
    tool_calls: [...calls.values()].map(({ id, type, ...called }) => ({ id, type, function: called })),
  }
  const finish = choices.map((choice) => choice['finish_reason']).filter((reason) => typeof reason === 'string')
  return {
    id: chunks[0]?.['id'],
    object: 'chat.completion',
    choices: [{ message, finish_reason: finish.length === 1 ? finish[0] : undefined }],
    usage: chunks.map(({ usage }) => usage).findLast(isObject),
  }
}
