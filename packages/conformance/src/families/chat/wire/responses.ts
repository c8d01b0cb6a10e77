import { isDeepStrictEqual } from 'node:util'
import type { Json } from '@headgate/core/provider'
import { compact, isObject, number, object, objects, text } from '../../../json.ts'
import type { AnswerMeaning, ReadAnswer, Tokens } from '../meaning.ts'
import { callOf, idProblems, parseArguments } from './checks.ts'
import { payloads, readFrames } from './frames.ts'
import { itemsOf, readRequest } from './responses-request.ts'
import type { Wire } from './wire.ts'

/** @see https://platform.openai.com/docs/api-reference/responses */
export const responses: Wire = {
  id: 'responses',
  lacks: ['stop'],
  path: () => '/v1/responses',
  body: (given, model, stream) => ({ model, ...given, ...(stream && { stream }) }),
  readRequest,
  refuses,
  readAnswer,
  readStream,
  readError(body) {
    const error = object(object(body)['error'])
    return typeof error['message'] === 'string' && typeof error['type'] === 'string' ? error['message'] : undefined
  },
  followUp(given, answer, results) {
    const output = objects(object(answer)['output'])
    const said = output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id }, index) => ({ type: 'function_call_output', call_id, output: results[index] }))
    return { ...given, input: [...itemsOf(given['input']), ...output, ...said] }
  },
}

function refuses(body: Json): string[] {
  const items = itemsOf(body['input'])
  const files = items.flatMap(({ content }) => objects(content)).filter(({ type }) => type === 'input_file')
  const calls = new Set(items.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id))
  const stray = items.some(({ type, call_id }) => type === 'function_call_output' && !calls.has(call_id))
  return [
    ...(text(body['model']) === '' ? ['`model` is missing'] : []),
    ...(body['input'] === undefined ? ['`input` is missing'] : []),
    ...(files.every(({ file_data }) => text(file_data).startsWith('data:'))
      ? []
      : ['`file_data` of an input_file is not a data URL']),
    ...(stray ? ['a function_call_output does not match a call'] : []),
  ]
}

function finishOf(answer: Json, hasCalls: boolean): AnswerMeaning['finish'] {
  if (answer['status'] === 'completed') return hasCalls ? 'tool-calls' : 'stop'
  const { reason } = object(answer['incomplete_details'])
  if (answer['status'] !== 'incomplete') return 'unknown'
  return reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? 'content-filter' : 'unknown'
}

function readAnswer(body: unknown): ReadAnswer {
  const answer = object(body)
  const output = objects(answer['output'])
  const of = (kind: string) => output.filter(({ type }) => type === kind)
  const calls = of('function_call')
  const problems = [
    ...(answer['object'] === 'response' ? [] : ['`object` is not "response"']),
    ...(text(answer['id']) === '' ? ['the response has no `id`'] : []),
    ...(Array.isArray(answer['output']) ? [] : ['the response has no `output`']),
    ...(output.every(({ id }) => text(id) !== '') ? [] : ['an item has no `id`']),
    ...(new Set(output.map(({ id }) => id)).size === output.length ? [] : ['two items have the same `id`']),
    ...(of('message').every(({ role }) => role === 'assistant') ? [] : ['the role of a message is not "assistant"']),
    ...idProblems(calls.map(({ call_id }) => call_id)),
  ]
  const joined = (parts: readonly unknown[]) =>
    parts
      .flatMap(objects)
      .map((part) => text(part['text']))
      .join('')
  const meaning = compact<AnswerMeaning>({
    text: joined(of('message').map(({ content }) => content)),
    reasoning: joined(
      of('reasoning').flatMap(({ summary, content }) => (objects(summary).length > 0 ? [summary] : [content])),
    ),
    calls: calls.map((call) => callOf(text(call['name']), parseArguments(text(call['arguments']), problems))),
    finish: finishOf(answer, calls.length > 0),
    usage: readUsage(answer['usage'], problems),
  })
  return { meaning, problems }
}

function readUsage(given: unknown, problems: string[]): Tokens | undefined {
  if (!isObject(given)) return undefined
  const input = number(given['input_tokens']) ?? -1
  const output = number(given['output_tokens']) ?? -1
  if (given['total_tokens'] !== input + output) problems.push('`usage.total_tokens` is not the sum of input and output')
  return compact<Tokens>({
    input,
    output,
    cacheRead: number(object(given['input_tokens_details'])['cached_tokens']) || undefined,
  })
}

const ENDS = ['response.completed', 'response.incomplete', 'response.failed']

function readStream(source: string): ReadAnswer {
  const { frames, problems } = readFrames(source)
  const events = payloads(frames, problems)
  frames.forEach(({ event }, index) => {
    if (event !== events[index]?.['type'])
      problems.push(`the frame of type ${String(events[index]?.['type'])} is named ${event}`)
  })
  const failed = events.find(({ type }) => type === 'error')
  const error = failed && (text(failed['message']) || text(object(failed['error'])['message']))
  problems.push(...grammarProblems(events, failed !== undefined))
  const whole = object(events.at(-1)?.['response'])
  const read = readAnswer(whole)
  if (error === undefined)
    return {
      meaning: read.meaning,
      problems: [...problems, ...untoldProblems(events, objects(whole['output'])), ...read.problems],
    }
  const told = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => text(delta))
  return { meaning: { ...read.meaning, text: told.join('') }, problems, error }
}

/** Checks the order of events: numbered from 0, and each item added and done at its index. Items can overlap. */
function grammarProblems(events: readonly Json[], failed: boolean): string[] {
  const problems: string[] = []
  const told = failed
    ? events.slice(
        0,
        events.findIndex(({ type }) => type === 'error'),
      )
    : events
  if (!told.every(({ sequence_number }, index) => sequence_number === index))
    problems.push('the events are not numbered from 0')
  if (events[0]?.['type'] !== 'response.created' && !failed)
    problems.push('the stream does not begin with response.created')
  if (!ENDS.includes(text(events.at(-1)?.['type']))) problems.push('the stream does not end with the whole response')
  const open = new Set<unknown>()
  let next = 0
  for (const { type, output_index } of told) {
    if (type === 'response.output_item.added') {
      if (output_index !== next) problems.push(`item ${String(output_index)} begins, but item ${next} is expected`)
      open.add(output_index)
      next += 1
    } else if (output_index !== undefined && !open.has(output_index))
      problems.push(`${text(type)} belongs to item ${String(output_index)}, which is not open`)
    if (type === 'response.output_item.done') open.delete(output_index)
  }
  if (open.size > 0 && !failed) problems.push('an item has no done event')
  return problems
}

/** Compares the items that clients assemble from events with the items of the whole response. */
function untoldProblems(events: readonly Json[], output: readonly Json[]): string[] {
  const of = (kind: string) => events.filter(({ type }) => type === kind)
  const done = of('response.output_item.done').map(({ item }) => item)
  const joined = (kind: string, index: number) =>
    of(kind)
      .filter((event) => event['output_index'] === index)
      .map(({ delta }) => text(delta))
      .join('')
  const wrong = output.flatMap((item, index) => {
    const pieces =
      item['type'] === 'function_call'
        ? [joined('response.function_call_arguments.delta', index), text(item['arguments'])]
        : item['type'] === 'message'
          ? [
              joined('response.output_text.delta', index),
              objects(item['content'])
                .map((part) => text(part['text']))
                .join(''),
            ]
          : ['', '']
    return pieces[0] === pieces[1] ? [] : [`the pieces of item ${index} differ from its content`]
  })
  return [
    ...(isDeepStrictEqual(done, [...output])
      ? []
      : ['the completed items differ from the items of the whole response']),
    ...wrong,
  ]
}
