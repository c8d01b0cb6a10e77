import { type Answer, errorBody, streamedAnswer, wholeAnswer, wires } from '../answers.ts'
import type { Fault } from '../fault.ts'
import type { FormatId, Scene } from '../scene.ts'
import { answer, chunked, type Headers, JSON_TYPE, type Step } from '../step.ts'
import { goodBody } from './good.ts'

/** What stands for an answer without anything in it. */
const HOLLOW: Readonly<Record<FormatId, readonly Answer[]>> = {
  'chat-completions': [
    {},
    { choices: [] },
    { choices: null },
    { id: 'x', object: 'chat.completion' },
    { choices: {} },
    { choices: [null] },
  ],
  messages: [{}, { type: 'message' }, { type: 'message', content: null }, { content: 'text' }, { type: 'ping' }],
  'generate-content': [
    {},
    { candidates: [] },
    { candidates: null },
    { usageMetadata: {} },
    { candidates: [null] },
    { promptFeedback: 1 },
  ],
}

type Whole = Omit<Fault, 'only' | 'steps'>

function body(fault: Whole, bodyOf: (scene: Scene) => unknown, headers: Headers = [JSON_TYPE]): Fault {
  return { only: 'whole', ...fault, steps: (scene) => answer(200, bodyOf(scene), headers) }
}

/** A good answer in which something is other. */
function changed(fault: Whole, change: (answer: Answer, scene: Scene) => void): Fault {
  return body({ alters: true, ...fault }, (scene) => {
    const good = structuredClone(wholeAnswer(scene))
    change(good, scene)
    return good
  })
}

/** The only choice, candidate or, of messages, the message itself. */
function choiceOf(good: Answer): Answer {
  const list = (good['choices'] ?? good['candidates']) as Answer[] | undefined
  return list?.[0] ?? good
}

const FINISH: Readonly<Record<FormatId, string>> = {
  'chat-completions': 'finish_reason',
  messages: 'stop_reason',
  'generate-content': 'finishReason',
}
const CONTENT: Readonly<Record<FormatId, string>> = {
  'chat-completions': 'message',
  messages: 'content',
  'generate-content': 'content',
}

const ODD: readonly unknown[] = [null, 7, 'x', true, [], {}, [null], [[]], { toString: 1 }]

function brokenArguments(good: Answer, { format, random }: Scene): void {
  const broken = random.pick(['{"place":', 'not JSON', '', '[1,2]', '7', 'null', '"x"', '{"a":1}{"b":2}'])
  if (format === 'chat-completions') {
    const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: broken } }
    Object.assign(choiceOf(good), {
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    })
  } else if (format === 'messages') {
    Object.assign(good, {
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'look_up', input: broken }],
      stop_reason: 'tool_use',
    })
  } else choiceOf(good)['content'] = { role: 'model', parts: [{ functionCall: { name: 'look_up', args: broken } }] }
}

function oddIds(good: Answer, { random }: Scene): void {
  for (const key of ['id', 'responseId', 'model', 'modelVersion', 'created', 'object', 'role'])
    good[key] = random.pick(ODD)
  choiceOf(good)['index'] = random.pick([-1, 7, '0', null, 1e9, 0.5])
}

const insert = (source: Buffer, bytes: readonly number[]): Buffer => {
  const at = source.indexOf('Gr')
  return Buffer.concat([source.subarray(0, at + 2), Buffer.from(bytes), source.subarray(at + 2)])
}

/** Whole answers with status 200 that are not what they should be. */
export const wholeFaults: readonly Fault[] = [
  body({ name: "200 with an error of the format's own", fate: 'failed' }, ({ format }) =>
    errorBody(format, 'It hurts'),
  ),
  body({ name: '200 with an error that is a text', fate: 'failed' }, () => ({ error: 'It hurts' })),
  body({ name: '200 with a list of errors', fate: 'failed' }, ({ format }) => [errorBody(format, 'It hurts')]),
  body({ name: '200 with an error that says the key', fate: 'failed' }, ({ format, secret }) =>
    errorBody(format, `Bad key ${secret}`),
  ),
  body({ name: '200 without a body', fate: 'failed' }, () => ''),
  body({ name: '200 with null', fate: 'failed' }, () => 'null'),
  body({ name: '200 with a list', fate: 'failed' }, () => '[]'),
  body({ name: '200 with a text', fate: 'failed' }, () => '"All is well"'),
  body({ name: '200 with white space', fate: 'failed' }, () => ' \n\n '),
  body({ name: '200 with a page', fate: 'failed' }, () => '<html><title>Sign in</title></html>', [
    ['content-type', 'text/html'],
  ]),
  body({ name: 'a hollow 200', alters: true }, ({ format, random }) => random.pick(HOLLOW[format])),
  body({ name: 'truncated JSON', fate: 'failed' }, (scene) => goodBody(scene).subarray(0, -scene.random.below(60) - 2)),
  body({ name: 'two documents in one body', fate: 'failed' }, (scene) => `${goodBody(scene)}${goodBody(scene)}`),
  body({ name: 'a byte order mark before JSON', alters: true }, (scene) => `\ufeff${goodBody(scene)}`),
  body({ name: 'JSON that says it is text', fate: 'served' }, goodBody, [['content-type', 'text/plain']]),
  body({ name: 'JSON without a content type', fate: 'served' }, goodBody, []),
  body({ name: 'invalid UTF-8', alters: true }, (scene) =>
    insert(goodBody(scene), [0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
  ),
  body({ name: 'control characters in JSON' }, (scene) => insert(goodBody(scene), [0, 1, 10])),
  body(
    { name: 'a stream where a whole answer is due', fate: 'failed' },
    (scene) => wires(scene, streamedAnswer(scene)).join(''),
    [['content-type', 'text/event-stream']],
  ),
  changed({ name: 'deep nesting' }, (good) => {
    let deep: unknown = 1
    for (let level = 0; level < 3_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep }
    good['extra'] = deep
  }),
  body({ name: 'nesting without end' }, ({ random }) => (random.chance(50) ? '[' : '{"a":').repeat(200_000)),
  changed({ name: 'a giant text', fate: 'served' }, (good) => {
    good['extra'] = 'x'.repeat(2_000_000)
  }),
  changed({ name: 'a whole answer without its finish' }, (good, { format }) => {
    delete choiceOf(good)[FINISH[format]]
  }),
  changed({ name: 'an odd finish' }, (good, { format, random }) => {
    choiceOf(good)[FINISH[format]] = random.pick(ODD)
  }),
  changed({ name: 'odd content' }, (good, { format, random }) => {
    choiceOf(good)[CONTENT[format]] = random.pick(ODD)
  }),
  changed({ name: 'wrong indices and ids' }, oddIds),
  changed({ name: 'arguments that are no JSON' }, brokenArguments),
  changed({ name: 'keys of prototypes' }, (good) => {
    for (const key of ['constructor', 'toString', 'hasOwnProperty']) good[key] = { a: 1 }
    Object.defineProperty(good, '__proto__', { value: { polluted: true }, enumerable: true })
  }),
  body(
    { name: 'a key that occurs twice', alters: true },
    (scene) => `{"usage":{"a":1},"id":"twice",${goodBody(scene).toString().slice(1)}`,
  ),
  {
    name: 'a whole answer where a stream is due',
    only: 'stream',
    fate: 'failed',
    steps: (scene): Step[] => answer(200, wholeAnswer(scene)),
  },
  {
    name: '200 with an error where a stream is due',
    only: 'stream',
    fate: 'failed',
    steps: ({ format }): Step[] => answer(200, errorBody(format, 'It hurts')),
  },
  {
    name: '200 with a page where a stream is due',
    only: 'stream',
    fate: 'failed',
    steps: (): Step[] => chunked(['<html>'], [['content-type', 'text/html']]),
  },
]
