import {
  chatChunk,
  type Event,
  errorEvent,
  generateChunk,
  messagesEvent,
  streamedAnswer,
  wire,
  wires,
} from '../answers.ts'
import type { Fault } from '../fault.ts'
import type { FormatId, Scene } from '../scene.ts'
import { chunked } from '../step.ts'

type Streamed = Omit<Fault, 'only' | 'steps'>

/** A stream whose events are other than they should be. */
function events(fault: Streamed, edit: (good: Event[], scene: Scene) => readonly Event[]): Fault {
  return { ...fault, only: 'stream', steps: (scene) => chunked(wires(scene, edit(streamedAnswer(scene), scene))) }
}

/** Places just after the first event that says something, and just before the finish. */
const EARLY = 2
const FINISH = /"finish_reason":"|"stop_reason":"|"finishReason"/

function finishAt(good: readonly Event[]): number {
  return good.findIndex(({ data }) => FINISH.test(JSON.stringify(data)))
}

function inserted(good: readonly Event[], at: number, ...more: readonly Event[]): Event[] {
  return [...good.slice(0, at), ...more, ...good.slice(at)]
}

const DONE: Event = { data: '[DONE]' }
const JUNK = ['not JSON', '{"half":', '}', 'undefined', '{"a":1}{"b":2}', "{'a': 1}", '\u0000']
const HOLLOW = ['{}', '[]', 'null', '7', '"text"', 'true', '[[]]']

const BLANK: Readonly<Record<FormatId, Event>> = {
  'chat-completions': { data: { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [] } },
  messages: messagesEvent('ping'),
  'generate-content': { data: { responseId: 'resp-1' } },
}

const ODD = [null, 7, 'x', true, [], {}, [null]]

const LATE: Readonly<Record<FormatId, readonly Event[]>> = {
  'chat-completions': [chatChunk({ content: 'more' })],
  messages: [messagesEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'more' } })],
  'generate-content': [generateChunk([{ text: 'more' }])],
}

const WRONG: Readonly<Record<FormatId, readonly Event[]>> = {
  'chat-completions': [
    { data: { choices: [{ index: -1, delta: { content: 'a' } }] } },
    { data: { choices: [{ index: 1e9, delta: { content: 'a' } }] } },
    { data: { choices: [{ index: '0', delta: { tool_calls: [{ index: -5, function: { arguments: '{' } }] } }] } },
    {
      data: {
        choices: [{ index: 0, delta: { tool_calls: [{ index: 1e9, id: 7, function: { name: null, arguments: 7 } }] } }],
      },
    },
  ],
  messages: [
    messagesEvent('content_block_delta', { index: 99, delta: { type: 'text_delta', text: 'a' } }),
    messagesEvent('content_block_start', { index: -1, content_block: { type: 'text', text: '' } }),
    messagesEvent('content_block_stop', { index: 1e9 }),
    messagesEvent('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '{' } }),
    messagesEvent('message_start', { message: null }),
  ],
  'generate-content': [
    { data: { candidates: [{ index: -1, content: { parts: [{ text: 'a' }] } }] } },
    { data: { candidates: [{ index: 1e9, content: { parts: [{ text: 'a' }] } }] } },
    { data: { candidates: [{ index: 'x', content: { parts: 'a' } }] } },
  ],
}

function brokenCall(format: FormatId): readonly Event[] {
  if (format === 'chat-completions') {
    const call = {
      index: 0,
      id: 'call_9',
      type: 'function',
      function: { name: 'look_up', arguments: '{"place": Köln,,' },
    }
    return [chatChunk({ tool_calls: [call] })]
  }
  if (format === 'messages')
    return [
      messagesEvent('content_block_start', {
        index: 7,
        content_block: { type: 'tool_use', id: 'toolu_9', name: 'look_up', input: {} },
      }),
      messagesEvent('content_block_delta', {
        index: 7,
        delta: { type: 'input_json_delta', partial_json: '{"place": Köln,,' },
      }),
      messagesEvent('content_block_stop', { index: 7 }),
    ]
  return [generateChunk([{ functionCall: { name: 'look_up', args: 'broken' } }])]
}

const without = (good: readonly Event[], pattern: RegExp): Event[] => good.filter((event) => !pattern.test(wire(event)))

/** Streams whose events say the wrong thing. */
export const streamFaults: readonly Fault[] = [
  events({ name: 'an error as the first event', fate: 'failed' }, (_, { format }) => [errorEvent(format, 'It hurts')]),
  events({ name: 'an error after comments and pings', fate: 'failed' }, (_, { format }) => [
    ...(format === 'messages' ? [messagesEvent('ping')] : []),
    errorEvent(format, 'It hurts'),
  ]),
  events({ name: 'an error in the middle', fate: 'cut' }, (good, { format }) => [
    ...good.slice(0, EARLY),
    errorEvent(format, 'It hurts'),
  ]),
  events({ name: 'a rate limit in the middle', fate: 'cut' }, (good, { format }) => [
    ...good.slice(0, EARLY),
    errorEvent(format, 'Too many', 'limit'),
  ]),
  events({ name: 'an error in the middle, then the rest', alters: true }, (good, { format }) =>
    inserted(good, EARLY, errorEvent(format, 'It hurts')),
  ),
  events({ name: 'an error in the middle, then [DONE]', fate: 'cut' }, (good, { format }) => [
    ...good.slice(0, EARLY),
    errorEvent(format, 'It hurts'),
    DONE,
  ]),
  events({ name: 'an error first, then [DONE]', fate: 'failed' }, (_, { format }) => [
    errorEvent(format, 'It hurts'),
    DONE,
  ]),
  events({ name: 'an error after the finish', alters: true }, (good, { format }) =>
    inserted(good, finishAt(good) + 1, errorEvent(format, 'It hurts')),
  ),
  events({ name: 'an error of another format', alters: true }, (good, { format }) =>
    inserted(good, EARLY, errorEvent(format === 'messages' ? 'generate-content' : 'messages', 'It hurts')),
  ),
  events({ name: 'an error that says the key', fate: 'cut' }, (good, { format, secret }) => [
    ...good.slice(0, EARLY),
    errorEvent(format, `The key "${secret}" has expired`),
  ]),
  events({ name: 'an odd error', alters: true, junk: true }, (good, { random }) => [
    ...good.slice(0, random.below(3)),
    {
      event: 'error',
      data: random.pick([
        '{}',
        'It hurts',
        '',
        'null',
        '{"error":null}',
        '{"error":"x"}',
        '{"error":{"message":{}}}',
        '[1]',
      ]),
    },
  ]),
  events({ name: 'no finish' }, (good) => without(good, FINISH)),
  events({ name: 'no finish and no end', alters: true }, (good) => good.slice(0, finishAt(good))),
  events({ name: 'the finish twice', alters: true }, (good) => {
    const at = finishAt(good)
    return inserted(good, at, ...good.slice(at, at + 1))
  }),
  events({ name: 'the whole stream twice', alters: true }, (good) => [...good, ...good]),
  events({ name: 'every event twice', alters: true }, (good) => good.flatMap((event) => [event, event])),
  events({ name: 'content after the finish', alters: true }, (good, { format }) =>
    inserted(good, finishAt(good) + 1, ...LATE[format]),
  ),
  events({ name: 'content after the end', alters: true }, (good, { format }) => [...good, ...LATE[format]]),
  events({ name: 'events backwards', alters: true }, (good) => [...good].reverse()),
  events({ name: 'the first event is missing', alters: true }, (good) => good.slice(1)),
  events({ name: 'unknown events', fate: 'served' }, (good) =>
    inserted(good, EARLY, { event: 'telemetry', data: { type: 'telemetry', choices: [], at: 1 } }),
  ),
  events({ name: 'blank events', fate: 'served' }, (good, { format }) =>
    good.flatMap((event) => [BLANK[format], event]),
  ),
  events({ name: 'wrong indices and ids in a stream', alters: true }, (good, { format, random }) =>
    inserted(good, EARLY, random.pick(WRONG[format])),
  ),
  events({ name: 'arguments in a stream that are no JSON', alters: true }, (good, { format }) =>
    inserted(good, finishAt(good), ...brokenCall(format)),
  ),
  events({ name: 'junk between events', alters: true, junk: true }, (good, { random }) =>
    inserted(good, EARLY, { data: random.pick(JUNK) }),
  ),
  events({ name: 'junk first', alters: true, junk: true }, (good, { random }) => [
    { data: random.pick(JUNK) },
    ...good,
  ]),
  events({ name: 'junk last', alters: true, junk: true }, (good, { random }) => [...good, { data: random.pick(JUNK) }]),
  events({ name: 'JSON that is no event', alters: true }, (good, { random }) =>
    inserted(good, EARLY, { data: random.pick(HOLLOW) }),
  ),
  events({ name: 'events with odd values', alters: true }, (good, { random }) =>
    good.map((event) => {
      if (typeof event.data !== 'object' || event.data === null || !random.chance(40)) return event
      const data = event.data as Record<string, unknown>
      return { ...event, data: { ...data, [random.pick(Object.keys(data))]: random.pick(ODD) } }
    }),
  ),
  events({ name: 'a giant event', fate: 'served' }, (good, { format }) => {
    const blank = BLANK[format]
    return inserted(good, EARLY, { ...blank, data: { ...(blank.data as object), extra: 'x'.repeat(1_000_000) } })
  }),
  events({ name: 'a deep event', alters: true }, (good) =>
    inserted(good, EARLY, { data: `${'['.repeat(20_000)}${']'.repeat(20_000)}` }),
  ),
  events({ name: 'no event but the end', alters: true }, () => [DONE]),
  events({ name: 'a stream without events', fate: 'failed' }, () => []),
]
