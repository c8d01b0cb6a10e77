import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, type Json } from '../../../src/canonical/json.ts'
import { HeadgateError } from '../../../src/errors.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

const WORDS = [
  ...[
    'choices',
    'delta',
    'message',
    'messages',
    'content',
    'tool_calls',
    'function',
    'arguments',
    'name',
    'id',
    'index',
    'type',
    'usage',
  ],
  ...[
    'finish_reason',
    'error',
    'code',
    'role',
    'text',
    'image_url',
    'url',
    'file',
    'file_data',
    'tools',
    'reasoning_details',
    'annotations',
  ],
  ...[
    'thinking_blocks',
    'signature',
    'extra_content',
    'google',
    'thought_signature',
    'logprobs',
    'custom',
    'input',
    '__proto__',
    'images',
  ],
]
const KEY = fc.constantFrom(...WORDS)
const LEAF = fc.oneof(
  fc.constantFrom('user', 'assistant', 'tool', 'text', 'image_url', 'file', 'function', 'reasoning.text', '', 'data:,'),
  KEY,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)

/** JSON that is made of the words of the format, in places where they do not belong. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium' },
    LEAF,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(KEY, tie('json'), { maxKeys: 5 }),
  ),
}))
const object = fc.dictionary(KEY, json, { maxKeys: 6 })

/** Whether it went well, or failed in our own words; anything else is a crash. */
function holds(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
  }
}

describe('chat completions readers, given anything', () => {
  it('read a request, or name the field', () => {
    fc.assert(
      fc.property(object, fc.array(object, { minLength: 1, maxLength: 3 }), (body, messages) => {
        holds(() => chatCompletions.readRequest({ ...body, model: 'm' }))
        holds(() => chatCompletions.readRequest({ model: 'm', messages }))
        holds(() =>
          chatCompletions.readRequest({
            model: 'm',
            messages: [
              { role: 'assistant', ...messages[0] },
              { role: 'user', content: messages },
            ],
          }),
        )
        holds(() => chatCompletions.normalize({ stream: true, messages: [{ content: messages }] }, { model: 'm' }))
      }),
    )
  })

  it('read an answer, an error and a stream without a crash', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 5 }), object, (values, inner) => {
        const choices = [{ delta: inner, message: inner, finish_reason: null }]
        const reader = chatCompletions.readStream({ signer: 'claude' })
        const watch = chatCompletions.usageReader()
        const writer = chatCompletions.writeStream(
          { id: 'r', model: 'm', request: { model: 'm', messages: [], stream: true, streamUsage: true, paths: {} } },
          [],
        )
        for (const value of [{ choices }, { choices }, ...values]) {
          const frame = { data: JSON.stringify(value) }
          watch.push(frame)
          for (const part of reader.push(frame)) writer.push(part)
          chatCompletions.readError(0, value)
          if (isObject(value)) holds(() => chatCompletions.readResponse(value as Json))
          if (isObject(value)) chatCompletions.summarize(value)
        }
        for (const part of reader.end()) writer.push(part)
        writer.end()
      }),
    )
  })

  it('leave no trace of a key that is called __proto__', () => {
    const body = JSON.parse(
      '{"model":"m","messages":[{"role":"user","content":"a","__proto__":{"polluted":true}}],"__proto__":{"polluted":true}}',
    )
    const request = chatCompletions.readRequest(body)
    expect(request.extensions?.fields).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('a long chat completions stream', () => {
  it('keeps its grammar whatever the fragments of calls are', () => {
    const fragment = fc.record(
      {
        index: fc.integer({ min: 0, max: 3 }),
        id: fc.constantFrom('', 'a', 'b', 'c'),
        function: fc.record(
          { name: fc.constantFrom('', 'f', 'g'), arguments: fc.constantFrom('', '{', '}', '{}') },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    )
    const delta = fc.oneof(
      fc.record({ content: fc.constantFrom('', 'a', null) }),
      fc.record({ reasoning_content: fc.constantFrom('', 'h') }),
      fc.record({ tool_calls: fc.array(fragment, { maxLength: 2 }) }),
    )
    fc.assert(
      fc.property(fc.array(delta, { maxLength: 20 }), (deltas) => {
        const reader = chatCompletions.readStream()
        const frames = [
          ...deltas.map((value) => ({ choices: [{ index: 0, delta: value }] })),
          { choices: [{ delta: {}, finish_reason: 'stop' }] },
        ]
        const parts = [...frames.flatMap((frame) => reader.push({ data: JSON.stringify(frame) })), ...reader.end()]
        const open = new Set<number>()
        let started = 0
        for (const part of parts) {
          if (part.type === 'block-start') {
            expect(part.index).toBe(started++)
            open.add(part.index)
          } else if (part.type === 'block-delta') expect(open.has(part.index)).toBe(true)
          else if (part.type === 'block-end') expect(open.delete(part.index)).toBe(true)
        }
        expect(open.size).toBe(0)
        expect(
          parts.filter((part) => part.type === 'start' || part.type === 'finish').map((part) => part.type),
        ).toEqual(['start', 'finish'])
        const sent = deltas
          .flatMap((value) =>
            'tool_calls' in value ? value.tool_calls.map((call) => call.function?.arguments ?? '') : [],
          )
          .join('')
        const read = parts.flatMap((part) => (part.type === 'block-delta' ? (part.delta.arguments ?? '') : [])).join('')
        expect([...read].sort().join('')).toBe([...sent].sort().join(''))
      }),
    )
  })
})
