import type { Json } from '@headgate/core/provider'
import { compact, isObject, number, object, objects, parse, text } from '../../../json.ts'
import type { AnswerMeaning, ReadAnswer, Tokens } from '../meaning.ts'
import { callOf, idProblems } from './checks.ts'
import { payloads, readFrames } from './frames.ts'
import { readRequest } from './messages-request.ts'
import type { Wire } from './wire.ts'

const FINISH: Readonly<Record<string, AnswerMeaning['finish']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
}

/** @see https://platform.claude.com/docs/en/api/messages */
export const messages: Wire = {
  id: 'messages',
  path: () => '/v1/messages',
  body: (given, model, stream) => ({ model, ...given, ...(stream && { stream }) }),
  readRequest,
  refuses,
  readAnswer,
  readStream,
  readError(body) {
    const error = object(object(body)['error'])
    const isError = object(body)['type'] === 'error' && typeof error['type'] === 'string'
    return isError && typeof error['message'] === 'string' ? error['message'] : undefined
  },
  followUp(given, answer, results) {
    const content = objects(object(answer)['content'])
    const calls = content.filter(({ type }) => type === 'tool_use')
    const said = calls.map(({ id }, index) => ({ type: 'tool_result', tool_use_id: id, content: results[index] }))
    return {
      ...given,
      messages: [...objects(given['messages']), { role: 'assistant', content }, { role: 'user', content: said }],
    }
  },
}

function refuses(body: Json): string[] {
  const turns = objects(body['messages'])
  const blocks = turns.flatMap(({ content }) => objects(content))
  const late = turns.some(({ content }) => {
    const kinds = objects(content).map(({ type }) => type === 'tool_result')
    return kinds.includes(true) && kinds.lastIndexOf(true) > kinds.indexOf(false) && kinds.includes(false)
  })
  return [
    ...(text(body['model']) === '' ? ['`model` is missing'] : []),
    ...(number(body['max_tokens']) === undefined ? ['`max_tokens` is missing'] : []),
    ...(blocks.some((block) => block['type'] === 'text' && block['text'] === '') ? ['an empty `text` block'] : []),
    ...(late ? ['a `tool_result` is not at the start of its turn'] : []),
  ]
}

function readAnswer(body: unknown): ReadAnswer {
  const answer = object(body)
  const content = objects(answer['content'])
  const of = (kind: string) => content.filter(({ type }) => type === kind)
  const calls = of('tool_use')
  const problems = [
    ...(answer['type'] === 'message' ? [] : ['`type` is not "message"']),
    ...(answer['role'] === 'assistant' ? [] : ['`role` is not "assistant"']),
    ...(text(answer['id']) === '' ? ['the response has no `id`'] : []),
    ...(isObject(answer['usage']) ? [] : ['the response has no `usage`']),
    ...idProblems(calls.map(({ id }) => id)),
    ...(calls.every(({ input }) => isObject(input)) ? [] : ['the `input` of a tool_use is not an object']),
  ]
  const joined = (blocks: readonly Json[], key: string) => blocks.map((block) => text(block[key])).join('')
  const meaning = compact<AnswerMeaning>({
    text: joined(of('text'), 'text'),
    reasoning: joined(of('thinking'), 'thinking'),
    calls: calls.map(({ name, input }) => callOf(text(name), input)),
    finish: FINISH[text(answer['stop_reason'])] ?? 'unknown',
    usage: readUsage(answer['usage']),
  })
  return { meaning, problems }
}

/** `input_tokens` excludes tokens read from or written to a cache. */
function readUsage(given: unknown): Tokens | undefined {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = object(given)
  const input = number(input_tokens)
  const output = number(output_tokens)
  if (input === undefined || output === undefined) return undefined
  const cacheRead = number(cache_read_input_tokens) ?? 0
  return compact<Tokens>({
    input: input + cacheRead + (number(cache_creation_input_tokens) ?? 0),
    output,
    cacheRead: cacheRead || undefined,
  })
}

function readStream(source: string): ReadAnswer {
  const { frames, problems } = readFrames(source)
  const events = payloads(frames, problems)
  frames.forEach(({ event }, index) => {
    if (event !== events[index]?.['type'])
      problems.push(`the frame of type ${String(events[index]?.['type'])} is named ${event}: clients skip it`)
  })
  const failed = events.find(({ type }) => type === 'error')
  const told = events.filter(({ type }) => type !== 'ping')
  const error = failed && text(object(failed['error'])['message'])
  problems.push(...grammarProblems(told, failed !== undefined))
  const whole = readAnswer(assemble(told))
  return {
    meaning: whole.meaning,
    problems: [...problems, ...(failed ? [] : whole.problems)],
    ...(error !== undefined && { error }),
  }
}

/** Checks the order of blocks: numbered from 0, without overlap, one start and one stop each. */
function grammarProblems(events: readonly Json[], failed: boolean): string[] {
  const count = (kind: string) => events.filter(({ type }) => type === kind).length
  const problems: string[] = []
  let open = -1
  let next = 0
  for (const { type, index } of events) {
    if (type === 'content_block_start') {
      if (open !== -1 || index !== next)
        problems.push(`block ${String(index)} starts, but block ${next} is expected, or another block is still open`)
      open = next
      next += 1
    }
    if (type === 'content_block_delta' && index !== open)
      problems.push(`a delta belongs to block ${String(index)}, which is not open`)
    if (type === 'content_block_stop') {
      if (index !== open) problems.push(`block ${String(index)} stops, but it is not open`)
      open = -1
    }
  }
  if (events[0]?.['type'] !== 'message_start' || count('message_start') !== 1)
    problems.push('the stream does not begin with exactly one message_start')
  if (failed) return problems
  if (events.at(-1)?.['type'] !== 'message_stop' || count('message_stop') !== 1)
    problems.push('the stream does not end with exactly one message_stop')
  if (open !== -1) problems.push('a block has no stop')
  return problems
}

/** Message that a client assembles from events. */
function assemble(events: readonly Json[]): Json {
  const of = (kind: string) => events.filter(({ type }) => type === kind)
  const start = object(of('message_start')[0]?.['message'])
  const content = of('content_block_start').map(({ index, content_block }) => {
    const deltas = of('content_block_delta').filter((event) => event['index'] === index)
    const joined = (key: string) => deltas.map(({ delta }) => text(object(delta)[key])).join('')
    const block = object(content_block)
    if (block['type'] === 'tool_use') return { ...block, input: parse(joined('partial_json') || '{}') }
    if (block['type'] === 'thinking') return { ...block, thinking: joined('thinking'), signature: joined('signature') }
    return { ...block, text: text(block['text']) + joined('text') }
  })
  const ends = of('message_delta')
  return {
    ...start,
    content,
    stop_reason: object(ends.at(-1)?.['delta'])['stop_reason'],
    usage: Object.assign({}, start['usage'], ...ends.map(({ usage }) => withoutNulls(object(usage)))),
  }
}

function withoutNulls(given: Json): Json {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}
