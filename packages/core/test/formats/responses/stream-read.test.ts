import { describe, expect, it } from 'vitest'
import { assemble } from '../../../src/canonical/assemble.ts'
import type { Json } from '../../../src/canonical/json.ts'
import { responses } from '../../../src/formats/responses/index.ts'
import { answer, frame, message, partsOf, text } from './support.ts'

/** Written from the vendor's documentation of the API. */
const created = {
  type: 'response.created',
  response: { id: 'resp_1', created_at: 7, model: 'gpt-5.4', status: 'in_progress', output: [] },
}
const completed = (output: readonly Json[], fields: Json = {}): Json => ({
  type: 'response.completed',
  response: answer(output, fields),
})
const added = (output_index: number, item: Json): Json => ({ type: 'response.output_item.added', output_index, item })
const done = (output_index: number, item: Json): Json => ({ type: 'response.output_item.done', output_index, item })
const said = (output_index: number, delta: string, content_index = 0): Json => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  delta,
})
const blocksOf = (events: readonly Json[]) => assemble(partsOf(events)).choices[0]?.blocks

describe('A stream of responses', () => {
  it('is read as the answer that it amounts to', () => {
    const item = message(
      'msg_1',
      text('Hello', { annotations: [{ type: 'url_citation', url: 'https://x.test', start_index: 0, end_index: 5 }] }),
    )
    const call = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'f',
      arguments: '{"a":1}',
      status: 'completed',
    }
    const usage = { input_tokens: 3, output_tokens: 2, output_tokens_details: { reasoning_tokens: 1 } }
    const response = assemble(
      partsOf([
        created,
        added(0, { ...item, status: 'in_progress', content: [] }),
        { type: 'response.content_part.added', output_index: 0, content_index: 0, part: text('') },
        said(0, 'Hel'),
        said(0, 'lo'),
        {
          type: 'response.output_text.annotation.added',
          output_index: 0,
          content_index: 0,
          annotation: { type: 'url_citation', url: 'https://x.test', start_index: 0, end_index: 5 },
        },
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello' },
        { type: 'response.content_part.done', output_index: 0, content_index: 0, part: text('Hello') },
        done(0, item),
        added(1, { ...call, status: 'in_progress', arguments: '' }),
        { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":1}' },
        { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"a":1}' },
        done(1, call),
        completed([item, call], { usage }),
      ]),
    )
    expect(response).toMatchObject({
      id: 'resp_1',
      model: 'gpt-5.4',
      created: 7,
      usage: { input: 3, output: 2, reasoning: 1 },
      choices: [
        {
          blocks: [
            { type: 'text', text: 'Hello', ref: 'msg_1', citations: [{ url: 'https://x.test', start: 0, end: 5 }] },
            { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{"a":1}' },
          ],
          finish: { reason: 'tool-calls' },
        },
      ],
    })
  })

  it('begins encrypted thoughts when it is known whether anything of them is shown', () => {
    const hidden = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENC' }
    expect(blocksOf([created, added(0, hidden), done(0, hidden), completed([hidden])])).toEqual([
      { type: 'reasoning', text: '', ref: 'rs_1', redacted: true, signature: { signer: 'gpt', value: 'rs_1:ENC' } },
    ])
    const shown = {
      ...hidden,
      summary: [
        { type: 'summary_text', text: 'a' },
        { type: 'summary_text', text: 'b' },
      ],
    }
    const piece = (summary_index: number, delta: string): Json => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index,
      delta,
    })
    expect(
      blocksOf([created, added(0, hidden), piece(0, 'a'), piece(1, 'b'), done(0, shown), completed([shown])]),
    ).toEqual([{ type: 'reasoning', text: 'a\n\nb', ref: 'rs_1', signature: { signer: 'gpt', value: 'rs_1:ENC' } }])
  })

  it('reads what only the item, or only the whole answer, tells', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"a":1}' }
    expect(blocksOf([created, added(0, { ...call, arguments: '' }), done(0, call), completed([call])])).toMatchObject([
      { arguments: '{"a":1}' },
    ])
    expect(blocksOf([created, done(0, call), completed([call])])).toMatchObject([{ arguments: '{"a":1}' }])
    expect(blocksOf([created, done(0, call), completed([call, message('msg_1', text('Hi'))])])).toMatchObject([
      { id: 'c' },
      { text: 'Hi' },
    ])
    expect(
      blocksOf([
        created,
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi' },
        completed([]),
      ]),
    ).toMatchObject([{ type: 'text', text: 'Hi' }])
  })

  it('takes places that have gaps', () => {
    const [first, second] = [message('msg_1', text('a')), message('msg_2', text('b'))]
    const events = [
      created,
      added(0, first),
      said(0, 'a'),
      done(0, first),
      added(2, second),
      said(2, 'b'),
      done(2, second),
      completed([first, second]),
    ]
    expect(blocksOf(events)).toMatchObject([{ text: 'a' }, { text: 'b' }])
  })

  it('reads tools of the provider, and images, as they end', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }
    const image = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=' }
    const response = assemble(
      partsOf([created, done(0, search), done(1, image), completed([search, image], { usage: { input_tokens: 1 } })]),
    )
    expect(response.choices[0]?.blocks).toMatchObject([
      { type: 'hosted-call', name: 'web-search' },
      { type: 'media', kind: 'image', mime: 'image/png' },
    ])
    expect(response.usage?.units).toEqual({ searches: 1 })
  })

  it('knows events by their frame where they do not name their type', () => {
    const reader = responses.readStream()
    const data = JSON.stringify({ response: answer([message('msg_1', text('Hi'))]) })
    expect(
      assemble([...reader.push({ event: 'response.completed', data }), ...reader.end()]).choices[0]?.blocks,
    ).toMatchObject([{ text: 'Hi' }])
  })

  it.each([
    [{ type: 'error', error: { code: 'rate_limit_exceeded', message: 'Slow' } }, 'rate-limited'],
    [{ type: 'error', code: 'server_error', message: 'Oh' }, 'upstream'],
    [
      { type: 'response.failed', response: { status: 'failed', error: { code: 'insufficient_quota', message: 'No' } } },
      'our-quota',
    ],
    [
      { type: 'response.failed', response: { status: 'failed', error: { code: 'bio_policy', message: 'No' } } },
      'content-policy',
    ],
  ])('ends with the error that the upstream tells: %j', (event, kind) => {
    expect(partsOf([created, event as Json]).at(-1)).toMatchObject({ type: 'error', error: { kind } })
  })

  it('is cut where the whole answer does not come', () => {
    expect(partsOf([created, said(0, 'a')]).at(-1)).toMatchObject({ type: 'error', error: { kind: 'cut' } })
    expect(partsOf([])).toMatchObject([{ type: 'error', error: { kind: 'cut' } }])
  })
})

describe('Watching a stream of responses that passes as it is', () => {
  const end = completed([{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }], {
    usage: { input_tokens: 3, output_tokens: 2 },
  })

  it('reads usage, end, model and id on the side', () => {
    const watch = responses.usageReader()
    expect([created, said(0, 'a'), end].map((event) => watch.push(frame(event)))).toEqual(['content', 'content', 'end'])
    expect(watch.summary).toEqual({
      id: 'resp_1',
      model: 'gpt-5.4',
      usage: { input: 3, output: 2 },
      finish: { reason: 'tool-calls', raw: 'completed' },
    })
    expect(watch.complete).toBe(true)
  })

  it('looks at those frames only that tell of it', () => {
    const isNotable = (event: Json): boolean =>
      responses.relevantFrames.test(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
    expect([created, said(0, '"type":"response.completed"'), end, { type: 'error', code: 'x' }].map(isNotable)).toEqual(
      [true, false, true, true],
    )
  })

  it('sees a failure, and a stream that was cut', () => {
    const watch = responses.usageReader()
    watch.push(frame(created))
    expect(watch.complete).toBe(false)
    expect(
      watch.push(frame({ type: 'response.failed', response: { error: { code: 'server_error', message: 'Oh' } } })),
    ).toBe('error')
    expect(watch.error).toMatchObject({ kind: 'upstream', message: 'Oh' })
  })
})

describe('A whole response', () => {
  it.each([
    [
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      { reason: 'length', raw: 'max_output_tokens' },
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      { reason: 'content-filter', raw: 'content_filter' },
    ],
    [{ status: 'completed' }, { reason: 'stop', raw: 'completed' }],
  ])('ends: %j', (fields, finish) => {
    expect(responses.readResponse(answer([], fields)).choices[0]?.finish).toEqual(finish)
  })

  it('is no answer where it failed, or has no output', () => {
    const failed = answer([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow' } })
    expect(() => responses.readResponse(failed)).toThrow(expect.objectContaining({ kind: 'rate-limited' }))
    expect(() => responses.readResponse({ id: 'x' })).toThrow(expect.objectContaining({ kind: 'upstream' }))
  })
})

describe('A request that passes as it is', () => {
  const amend = (body: Json) => responses.normalize(body, { model: 'gpt-5.4', signer: 'gpt' })

  it('needs nothing, but for raw base64', () => {
    expect(amend({ model: 'm', input: 'x' })).toEqual({ edits: [] })
    const content = [{ type: 'input_file', file_data: 'JVBERi0=' }]
    expect(amend({ model: 'm', input: [{ role: 'user', content }] }).edits).toEqual([
      { path: ['input', 0, 'content', 0, 'file_data'], value: 'data:application/pdf;base64,JVBERi0=' },
      { path: ['input', 0, 'content', 0, 'filename'], value: 'document.pdf' },
    ])
  })

  it('is written anew where it holds what another vendor signed', () => {
    const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'hg1.claude.U0lH' }
    expect(amend({ model: 'm', input: [sealed] }).rewrite).toBe(true)
    expect(amend({ model: 'm', input: [{ ...sealed, encrypted_content: 'gAAAAA' }] }).rewrite).toBeUndefined()
  })
})
