import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

const PDF = btoa('%PDF-1.7')
const file = (fields: Json): Json => ({
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'file', file: fields },
      ],
    },
  ],
})
const at = (key: string) => ['messages', 0, 'content', 1, 'file', key]

const chunk = (fields: Json): string => JSON.stringify({ id: 'c', model: 'm-1', choices: [], ...fields })
const said = (content: string) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null })
const end = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null })
const usage = chunk({ usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } })

describe('what the vendor needs of a chat completions body', () => {
  it('cases 165 and 166: raw base64 becomes a data URL under a file name', () => {
    expect(chatCompletions.normalize(file({ file_data: PDF }), { model: 'm' })).toEqual({
      edits: [
        { path: at('file_data'), value: `data:application/pdf;base64,${PDF}` },
        { path: at('filename'), value: 'document.pdf' },
      ],
    })
    expect(chatCompletions.normalize(file({ file_data: 'AAAA', filename: 'a.bin' }), { model: 'm' }).edits).toEqual([
      { path: at('file_data'), value: 'data:application/pdf;base64,AAAA' },
    ])
    expect(
      chatCompletions.normalize(file({ file_data: 'iVBORw0KGgo=', filename: 'a.png' }), { model: 'm' }).edits,
    ).toMatchObject([{ value: 'data:image/png;base64,iVBORw0KGgo=' }])
  })

  it.each<[string, Json]>([
    ['a data URL', { file_data: `data:application/pdf;base64,${PDF}` }],
    ['a URL', { file_data: 'https://example.com/a.pdf' }],
    ['an id', { file_id: 'file-1' }],
  ])('leaves %s alone', (_, fields) => {
    expect(chatCompletions.normalize(file(fields), { model: 'm' })).toEqual({ edits: [] })
  })

  it('gives a vendor raw base64 that takes nothing else', () => {
    const target = { model: 'm', facts: { documents: 'raw' } } as const
    expect(chatCompletions.normalize(file({ file_data: `data:application/pdf;base64,${PDF}` }), target).edits).toEqual([
      { path: at('file_data'), value: PDF },
    ])
    expect(chatCompletions.normalize(file({ file_data: PDF }), target).edits).toEqual([])
  })

  it('refuses a file that is neither', () => {
    expect(() => chatCompletions.normalize(file({ file_data: 'not base64!' }), { model: 'm' })).toThrow(
      expect.objectContaining({ kind: 'invalid-request', param: 'messages[0].content[1].file.file_data' }),
    )
  })

  it.each<[string, Json, Json[]]>([
    ['absent', {}, [{ path: ['stream_options'], value: { include_usage: true } }]],
    ['null', { stream_options: null }, [{ path: ['stream_options'], value: { include_usage: true } }]],
    [
      'there, without usage',
      { stream_options: { include_obfuscation: false } },
      [{ path: ['stream_options', 'include_usage'], value: true }],
    ],
    [
      'against usage',
      { stream_options: { include_usage: false } },
      [{ path: ['stream_options', 'include_usage'], value: true }],
    ],
  ])(
    'a stream asks for usage where stream_options are %s, and hides what the caller did not ask for',
    (_, fields, edits) => {
      const amendment = chatCompletions.normalize({ stream: true, messages: [], ...fields }, { model: 'm' })
      expect(amendment.edits).toEqual(edits)
      const hidden = [
        said('"usage"'),
        end,
        usage,
        chunk({ usage: null }),
        chunk({ choices: [{}], usage: {} }),
        '[DONE]',
      ].map((data) => amendment.hides?.({ data }))
      expect(hidden).toEqual([false, false, true, false, false, false])
    },
  )

  it('asks for nothing where the caller did, where there is no stream, or where the vendor needs no asking', () => {
    expect(
      chatCompletions.normalize({ stream: true, stream_options: { include_usage: true } }, { model: 'm' }),
    ).toEqual({
      edits: [],
    })
    expect(chatCompletions.normalize({ messages: [] }, { model: 'm' })).toEqual({ edits: [] })
    expect(chatCompletions.normalize({ stream: true }, { model: 'm', facts: { usageInStream: 'always' } })).toEqual({
      edits: [],
    })
  })
})

describe('a chat completions answer that passes as it is', () => {
  it('tells usage, end, model and id of a whole answer', () => {
    const body = {
      id: 'c',
      model: 'm-1',
      choices: [{ message: { content: 'a' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 5, completion_tokens: 3 },
    }
    expect(chatCompletions.summarize(body)).toEqual({
      id: 'c',
      model: 'm-1',
      usage: { input: 5, output: 3 },
      finish: { reason: 'length', raw: 'length' },
    })
    expect(chatCompletions.summarize({})).toEqual({})
  })

  it('tells them of a stream', () => {
    const watch = chatCompletions.usageReader()
    expect([said('a'), end, usage, '[DONE]', ''].map((data) => watch.push({ data }))).toEqual([
      'content',
      'content',
      'content',
      'end',
      'idle',
    ])
    expect(watch.summary).toEqual({
      id: 'c',
      model: 'm-1',
      usage: { input: 5, output: 3 },
      finish: { reason: 'stop', raw: 'stop' },
    })
    expect(watch).toMatchObject({ complete: true, error: undefined })
  })

  it('knows a stream that was cut, and one that is complete without [DONE]', () => {
    const cut = chatCompletions.usageReader()
    cut.push({ data: said('a') })
    expect(cut.complete).toBe(false)
    cut.push({ data: end })
    expect(cut.complete).toBe(true)
  })

  it('knows an error', () => {
    const watch = chatCompletions.usageReader()
    expect(watch.push({ data: '{"error":{"message":"Busy.","code":503}}' })).toBe('error')
    expect(watch).toMatchObject({ complete: false, error: { kind: 'overloaded', message: 'Busy.' } })
  })

  it.each<[string, string, boolean]>([
    ['content', said('Hi'), false],
    [
      'content that speaks of the format',
      said('{"usage":{"a":1},"finish_reason":"stop","error":{"x":1}} [DONE]'),
      false,
    ],
    ['an empty finish reason', chunk({ choices: [{ delta: {}, finish_reason: '' }] }), false],
    ['an error that is null', chunk({ error: null }), false],
    ['a finish reason', end, true],
    ['usage', usage, true],
    ['usage with spaces', '{"usage": {"prompt_tokens": 1}}', true],
    ['usage of the choice', chunk({ choices: [{ usage: { prompt_tokens: 1 } }] }), true],
    ['an error', '{"error":{"message":"x"}}', true],
    ['an error that is a text', '{"error": "x"}', true],
    ['the end', '[DONE]', true],
  ])('%s is looked at, or not', (_, data, expected) => {
    expect(chatCompletions.relevantFrames.test(`data: ${data}\n\n`)).toBe(expected)
  })

  it('a frame that is called error is looked at', () => {
    expect(chatCompletions.relevantFrames.test('data: {}\n\nevent: error\ndata: x\n\n')).toBe(true)
  })
})
