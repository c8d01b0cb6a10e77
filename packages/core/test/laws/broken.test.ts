import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assemble } from '../../src/canonical/assemble.ts'
import type { Format, Frame } from '../../src/canonical/format.ts'
import { isObject, type Json, parse } from '../../src/canonical/json.ts'
import type { Part } from '../../src/canonical/part.ts'
import { translateFrames } from '../../src/canonical/stream-translation.ts'
import { HeadgateError } from '../../src/errors.ts'
import { readFrames, sseSplitter } from '../../src/formats/sse.ts'
import { type TranslatedFormat, translateRequest, translateResponse, translateStream } from '../../src/translate.ts'
import { odd, type Value } from '../support/odd.ts'
import { requests } from './conversations.ts'
import { REPLY, single } from './replies.ts'
import { DIRECTIONS, FORMATS } from './targets.ts'
import { streams } from './wires.ts'

/** How much more may come out than went in, in characters: what a format says around each piece of text. */
const RATIO = 80
const START = 20_000

/** Whether it went well, or failed in our own words; anything else is a crash. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (HeadgateError.is(error)) return undefined
    throw error
  }
}

function expectBounded(out: string, source: string): void {
  expect(out.length).toBeLessThan(source.length * RATIO + START)
}

type Change = (frames: readonly Frame[]) => Frame[]

/** Frames that are lost, doubled, swapped, cut off, or have other values in them. */
const change: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom('drop', 'double', 'swap', 'cut', 'rename', 'odd'), fc.nat(), fc.nat(), fc.nat())
  .map(([kind, first, second, seed]) => (frames) => {
    const at = first % Math.max(1, frames.length)
    const frame = frames[at]
    if (!frame) return [...frames]
    const other = frames[second % frames.length] ?? frame
    const replaced = (...by: Frame[]): Frame[] => [...frames.slice(0, at), ...by, ...frames.slice(at + 1)]
    switch (kind) {
      case 'drop':
        return replaced()
      case 'double':
        return replaced(frame, frame)
      case 'swap':
        return replaced(other)
      case 'cut':
        return replaced({ ...frame, data: frame.data.slice(0, second % (frame.data.length + 1)) })
      case 'rename':
        return replaced({ data: frame.data, event: other.event ?? 'error' })
      default:
        return replaced({ ...frame, data: oddData(frame.data, seed) })
    }
  })

/** The data with a value of it replaced. */
function oddData(data: string, seed: number): string {
  const value = parse(data)
  if (!isObject(value)) return data
  const [changed] = fc.sample(spoiled(value as Value), { numRuns: 1, seed })
  return JSON.stringify(changed)
}

/** A good document with values of it replaced by others, or by an object that can not be made a text or a number. */
function spoiled(good: Value): fc.Arbitrary<Value> {
  return fc.oneof(
    odd(good),
    fc.nat(countOf(good) - 1).map((at) => withHostile(good, at)),
  )
}

const HOSTILE: Value = { toString: 1, valueOf: 1 }

function countOf(value: Value): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : []
  return inner.reduce<number>((count, item) => count + countOf(item), 1)
}

/** The value whose part of that number, counted through it, is the hostile object. */
function withHostile(value: Value, at: number): Value {
  let count = 0
  const replaced = (part: Value): Value => {
    if (count++ === at) return HOSTILE
    if (Array.isArray(part)) return part.map(replaced)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, replaced(item)]))
  }
  return replaced(value)
}

describe.each(FORMATS)('A broken stream in $id', (from) => {
  const broken = fc
    .tuple(streams(from), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([stream, changes]) => changes.reduce((frames, apply) => apply(frames), readFrames(stream)))

  it('is read, or is an error in our own words, and does not grow', () => {
    fc.assert(
      fc.property(broken, (frames) => {
        const source = JSON.stringify(frames)
        const parts: Part[] = []
        attempt(() => {
          const reader = from.readStream({ signer: 'claude' })
          for (const frame of frames) parts.push(...reader.push(frame))
          parts.push(...reader.end())
        })
        const watch = from.usageReader()
        attempt(() => {
          for (const frame of frames) watch.push(frame)
        })
        expectBounded(JSON.stringify(parts), source)
        expectBounded(JSON.stringify(attempt(() => assemble(parts)) ?? null), source)
      }),
      { numRuns: 200 },
    )
  })

  it.each(FORMATS)('becomes one in $id that does not grow either', (to) => {
    fc.assert(
      fc.property(broken, (frames) => {
        const translation = translateFrames(from, to, REPLY, [])
        let out = ''
        attempt(() => {
          for (const frame of frames) out += translation.push([frame])
          out += translation.end()
        })
        expectBounded(out, JSON.stringify(frames))
      }),
      { numRuns: 100 },
    )
  })

  it('is read from any bytes', () => {
    const bytes = fc
      .tuple(streams(from), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 12 }))
      .map(([stream, changes]) => {
        const buffer = Buffer.from(stream)
        for (const [at, byte] of changes) buffer[at % buffer.length] = byte
        return buffer
      })
    fc.assert(
      fc.property(bytes, (stream) => {
        const splitter = sseSplitter()
        const pieces = [splitter.push(stream), splitter.rest()].filter((piece) => piece !== undefined)
        const translation = translateFrames(from, from, REPLY, [])
        let out = ''
        attempt(() => {
          for (const piece of pieces) out += translation.push(readFrames(Buffer.from(piece).toString('utf8')))
          out += translation.end()
        })
        expectBounded(out, stream.toString('latin1'))
      }),
      { numRuns: 100 },
    )
  })
})

describe.each(FORMATS)('A broken body in $id', (format: Format) => {
  it('is an answer, or an error in our own words, and does not grow', () => {
    const answers = single.map(
      (response) => JSON.parse(JSON.stringify(format.writeResponse(response, REPLY, []))) as Value,
    )
    fc.assert(
      fc.property(answers.chain(spoiled), (body) => {
        if (!isObject(body)) return
        const source = JSON.stringify(body)
        const read = attempt(() => format.readResponse(body))
        attempt(() => format.summarize(body))
        attempt(() => format.readError(500, body))
        if (!read) return
        for (const to of FORMATS)
          expectBounded(JSON.stringify(attempt(() => to.writeResponse(read, REPLY, [])) ?? null), source)
      }),
      { numRuns: 150 },
    )
  })

  it('is a request, or an error in our own words, and does not grow', () => {
    const target = DIRECTIONS.find((direction) => direction.format === format)?.target ?? { model: 'm' }
    const bodies = requests.map(
      (request) => JSON.parse(JSON.stringify(format.writeRequest(request, target, []).body)) as Value,
    )
    fc.assert(
      fc.property(bodies.chain(spoiled), (body) => {
        if (!isObject(body)) return
        const source = JSON.stringify(body)
        const read = attempt(() => format.readRequest(body, { model: 'm' }))
        attempt(() => format.normalize(body, target))
        if (!read) return
        for (const direction of DIRECTIONS) {
          const written = attempt(() => direction.format.writeRequest(read, direction.target, []))
          expectBounded(JSON.stringify(written?.body ?? null), source)
        }
      }),
      { numRuns: 150 },
    )
  })
})

describe('Arguments that come in pieces', () => {
  const step = fc.oneof(
    fc.constantFrom('.a', '.b', "['c d']"),
    fc.nat(20_000).map((index) => `[${index}]`),
  )
  const piece = fc.record({
    jsonPath: fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => `$${steps.join('')}`),
    stringValue: fc.constantFrom('x', ''),
    willContinue: fc.boolean(),
  })
  const frame = (call: unknown): Frame => ({
    data: JSON.stringify({ candidates: [{ content: { parts: [{ functionCall: call }] } }] }),
  })

  it('do not grow beyond what was sent, wherever they say they belong', () => {
    const format = FORMATS.find(({ id }) => id === 'generate-content')
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 20 }), (pieces) => {
        const frames = [
          frame({ name: 'f', willContinue: true }),
          ...pieces.map((one) => frame({ partialArgs: [one], willContinue: true })),
          frame({}),
        ]
        const reader = format?.readStream()
        const parts = attempt(() => frames.flatMap((one) => reader?.push(one) ?? [])) ?? []
        expect(JSON.stringify(parts).length).toBeLessThan(JSON.stringify(frames).length * 40)
      }),
    )
  })
})

/** A value in so many lists, each in the other. */
function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

/** JSON text with a value put in the place of a mark: such a value can not be made text as a whole. */
function withNested(value: unknown, levels: number): string {
  return JSON.stringify(value).replaceAll('"@deep"', `${'['.repeat(levels)}${']'.repeat(levels)}`)
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield chunk
}

/** What such a value hides in: fields that no format knows, and values that are read as they are. */
const DEEP_ANSWERS: Readonly<Record<TranslatedFormat, readonly object[]>> = {
  'chat-completions': [
    { unknown: '@deep', choices: [{ message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }] },
    { choices: [{ message: { role: 'assistant', content: 'x', unknown: '@deep' }, finish_reason: 'stop' }] },
    {
      choices: [
        {
          delta: {
            role: 'assistant',
            tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '@deep' } }],
          },
        },
      ],
    },
  ],
  messages: [
    { unknown: '@deep', role: 'assistant', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn' },
    { role: 'assistant', content: [{ type: 'text', text: 'x', unknown: '@deep' }], stop_reason: 'end_turn' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c', name: 'f', input: { a: '@deep' } }],
      stop_reason: 'tool_use',
    },
    { type: 'message_start', message: { role: 'assistant', content: [], unknown: '@deep' } },
    { type: 'content_block_start', index: 0, content_block: { type: 'novelty', unknown: '@deep' } },
  ],
  'generate-content': [
    { unknown: '@deep', candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }] },
    { candidates: [{ content: { parts: [{ text: 'x', unknown: '@deep' }] }, finishReason: 'STOP' }] },
    {
      candidates: [
        { content: { parts: [{ functionCall: { name: 'f', args: { a: '@deep' } } }] }, finishReason: 'STOP' },
      ],
    },
  ],
  responses: [
    {
      unknown: '@deep',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'x' }] }],
    },
    { status: 'completed', output: [{ type: 'web_search_call', id: 'ws_1', action: '@deep' }] },
    { type: 'response.created', response: { id: 'resp_1', output: [], unknown: '@deep' } },
    { type: 'response.output_item.done', output_index: 0, item: { type: 'novelty', unknown: '@deep' } },
  ],
}

const DEEP_REQUESTS: Readonly<Record<TranslatedFormat, readonly object[]>> = {
  'chat-completions': [
    { model: 'm', messages: [{ role: 'user', content: 'x' }], unknown: '@deep' },
    { model: 'm', messages: [{ role: 'user', content: 'x', unknown: '@deep' }] },
  ],
  messages: [
    { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }], unknown: '@deep' },
    {
      model: 'm',
      max_tokens: 1,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', unknown: '@deep' }] }],
    },
  ],
  'generate-content': [
    { contents: [{ role: 'user', parts: [{ text: 'x' }] }], unknown: '@deep' },
    { contents: [{ role: 'user', parts: [{ text: 'x', unknown: '@deep' }] }] },
  ],
  responses: [
    { model: 'm', input: 'x', unknown: '@deep' },
    { model: 'm', input: [{ role: 'user', content: [{ type: 'input_text', text: 'x', unknown: '@deep' }] }] },
    { model: 'm', input: [{ type: 'novelty', unknown: '@deep' }] },
  ],
}

const PAIRS = FORMATS.flatMap((from) =>
  FORMATS.map((to) => ({ from: from.id as TranslatedFormat, to: to.id as TranslatedFormat })),
)

describe.each(PAIRS)('From $from to $to, what is nested 100,000 levels deep', ({ from, to }) => {
  const LEVELS = 100_000

  it('is no answer, which is the provider’s failure', () => {
    for (const answer of DEEP_ANSWERS[from]) {
      const body = JSON.parse(withNested(answer, LEVELS)) as Json
      expect(() => translateResponse(body, { from, to })).toThrow(expect.objectContaining({ kind: 'upstream' }))
    }
  })

  it('ends a stream with an error, or is left out of it, and the stream comes to its end', async () => {
    for (const answer of DEEP_ANSWERS[from]) {
      const event = 'type' in answer ? `event: ${String(answer.type)}\n` : ''
      const chunk = new TextEncoder().encode(`${event}data: ${withNested(answer, LEVELS)}\n\n`)
      const stream = translateStream(once(chunk), { from, to })
      let out = ''
      for await (const bytes of stream) out += new TextDecoder().decode(bytes)
      expect(out).toContain('error')
      expect(out).not.toContain('[[[[')
      expect(out).not.toMatch(/call stack|in the gateway failed/)
    }
  })

  it('is no request, which is the caller’s', () => {
    for (const request of DEEP_REQUESTS[from]) {
      const body = JSON.parse(withNested(request, LEVELS)) as Json
      expect(() => translateRequest(body, { from, to, model: 'm' })).toThrow(
        expect.objectContaining({ kind: 'invalid-request' }),
      )
    }
  })
})

describe('What is nested 512 levels deep', () => {
  it('is read and written, and one level more is not', () => {
    const body = (levels: number): Json => ({
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      unknown: nested(levels),
    })
    const direction = { from: 'chat-completions', to: 'chat-completions' } as const
    expect(JSON.stringify(translateRequest(body(512), direction).body)).toContain('[[[[')
    expect(() => translateRequest(body(513), direction)).toThrow('nested deeper than 512 levels')
  })
})
