import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { ChatRequest } from '../../../src/canonical/request.ts'
import type { Choice, Finish } from '../../../src/canonical/response.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

const REQUEST: ChatRequest = { model: 'alias', messages: [], stream: false, streamUsage: false, paths: {} }

function write(blocks: Block[], finish: Finish = { reason: 'stop' }, request: ChatRequest = REQUEST) {
  const losses: Loss[] = []
  const response = { choices: [{ at: 'candidates[0]', blocks, finish }] }
  const body = chatCompletions.writeResponse(response, { id: 'req-1', model: 'm-1', request }, losses)
  const [choice] = body['choices'] as { message: Json; finish_reason: string }[]
  return {
    body,
    message: choice?.message,
    finish: choice?.finish_reason,
    losses: losses.map(({ path, kind }) => `${path};${kind}`),
  }
}

const text = (value: string, fields: Partial<Block & { type: 'text' }> = {}): Block => ({
  type: 'text',
  text: value,
  ...fields,
})
const call = (id = 'c1'): Block => ({ type: 'tool-call', id, name: 'f', arguments: '{"a":1}' })

describe('a chat completions answer that is written', () => {
  it('case 197: text and calls', () => {
    expect(write([text('a'), call()], { reason: 'tool-calls' })).toMatchObject({
      message: {
        role: 'assistant',
        content: 'a',
        refusal: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      finish: 'tool_calls',
      losses: [],
    })
  })

  it('case 198: calls alone have null content', () => {
    expect(write([call()]).message?.['content']).toBeNull()
  })

  it('case 199: an empty answer has empty content', () => {
    expect(write([]).message).toEqual({ role: 'assistant', content: '', refusal: null })
  })

  it('case 200: blocks of text are one text', () => {
    expect(write([text('It is '), text('72 °F'), text('.')]).message?.['content']).toBe('It is 72 °F.')
  })

  it('case 201: the explanation of a refusal is its text', () => {
    expect(write([], { reason: 'content-filter', raw: 'refusal', detail: 'Not that.' })).toMatchObject({
      message: { refusal: 'Not that.' },
      finish: 'content_filter',
    })
  })

  it.each<[string, Finish, string, string[]]>([
    ['case 203: the window is full', { reason: 'length', raw: 'model_context_window_exceeded' }, 'length', []],
    ['case 206: the limit is met within a call', { reason: 'length', raw: 'MAX_TOKENS' }, 'length', []],
    ['a stop sequence', { reason: 'stop-sequence', sequence: 'x' }, 'stop', ['candidates[0].stop_sequence;dropped']],
    ['a pause', { reason: 'pause' }, 'stop', ['candidates[0].stop_reason;changed']],
  ])('%s', (_, finish, word, losses) => {
    expect(write([call()], finish)).toMatchObject({ finish: word, losses })
  })

  it('case 47: a caller who gave functions gets a function_call', () => {
    const legacy = { ...REQUEST, paths: { tools: 'functions' } }
    const { message, finish, losses } = write(
      [call(), { ...call('c2'), at: 'second' }],
      { reason: 'tool-calls' },
      legacy,
    )
    expect(message).toMatchObject({ content: null, function_call: { name: 'f', arguments: '{"a":1}' } })
    expect(message).not.toHaveProperty('tool_calls')
    expect({ finish, losses }).toEqual({ finish: 'function_call', losses: ['second;dropped'] })
  })

  it('case 46: a call of a custom tool is one', () => {
    expect(write([{ type: 'tool-call', id: 'c', name: 'q', arguments: 'x', custom: true }]).message).toMatchObject({
      tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'q', input: 'x' } }],
    })
  })

  it('case 241: a call without arguments has {}', () => {
    expect(write([{ type: 'tool-call', id: 'c', name: 'f', arguments: '' }]).message).toMatchObject({
      tool_calls: [{ function: { arguments: '{}' } }],
    })
  })

  it('cases 99 and 103: signed reasoning comes as text to show and as blocks to send back', () => {
    const { message } = write([
      { type: 'reasoning', text: 'hm', signature: { signer: 'claude', value: 'sig' } },
      { type: 'reasoning', text: '', redacted: true, signature: { signer: 'claude', value: 'data' } },
      text('a'),
    ])
    expect(message).toMatchObject({
      content: 'a',
      reasoning_content: 'hm',
      thinking_blocks: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking', data: 'data' },
      ],
    })
  })

  it('signatures of other signers are sealed, and open again', () => {
    const gemini = { signer: 'gemini', value: 'R0VN' }
    const claude = { signer: 'claude', value: 'sig' }
    const { message } = write([
      { type: 'reasoning', text: 'hm', signature: gemini },
      { ...call(), signature: gemini } as Block,
      { ...call('c2'), signature: claude } as Block,
    ])
    expect(message).toMatchObject({
      thinking_blocks: [{ signature: expect.stringMatching(/^hg1\.gemini\./) }],
      tool_calls: [
        { extra_content: { google: { thought_signature: 'R0VN' } } },
        { extra_content: { google: { thought_signature: expect.stringMatching(/^hg1\.claude\./) } } },
      ],
    })
    const history = { role: 'assistant', ...message }
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '' })
    const again = chatCompletions.readRequest({ model: 'm', messages: [history, result('c1'), result('c2')] })
    expect(again.messages[0]?.blocks).toMatchObject([
      { signature: gemini },
      { signature: gemini },
      { signature: claude },
    ])
  })

  it('case 109: the signature of a text comes back as well', () => {
    const { message } = write([text('a', { signature: { signer: 'gemini', value: 'R0VN' } })])
    const again = chatCompletions.readRequest({ model: 'm', messages: [{ ...message }] })
    expect(again.messages[0]?.blocks).toMatchObject([
      { type: 'text', text: 'a', signature: { signer: 'gemini', value: 'R0VN' } },
    ])
  })

  it('case 124: reasoning is never in the content', () => {
    expect(write([{ type: 'reasoning', text: 'secret plan' }, text('a')]).message?.['content']).toBe('a')
  })

  it('case 222: citations count from the start of the whole text', () => {
    const { message, losses } = write([
      text('é. '),
      text('Cited.', {
        citations: [
          { url: 'https://e.com', title: 'T' },
          { url: 'https://f.com', start: 1, end: 3 },
        ],
      }),
      text('.', { at: 't', citations: [{ cited: 'no link' }] }),
    ])
    expect(message?.['annotations']).toEqual([
      { type: 'url_citation', url_citation: { start_index: 3, end_index: 9, title: 'T', url: 'https://e.com' } },
      { type: 'url_citation', url_citation: { start_index: 4, end_index: 6, title: '', url: 'https://f.com' } },
    ])
    expect(losses).toEqual(['t.citations;dropped'])
  })

  it('case 174: images of an answer are not lost, what has no place is declared', () => {
    const media = (kind: 'image' | 'video'): Block => ({
      type: 'media',
      at: kind,
      kind,
      mime: 'image/png',
      source: { type: 'base64', data: 'iVBO' },
    })
    const { message, losses } = write([media('image'), media('video')])
    expect(message).toMatchObject({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }] })
    expect(losses).toEqual(['video;dropped'])
  })

  it('case 338: id and model are never missing', () => {
    expect(write([]).body).toMatchObject({
      id: 'req-1',
      model: 'm-1',
      object: 'chat.completion',
      created: expect.any(Number),
    })
  })

  it('case 191: log probabilities have bytes', () => {
    const choice: Choice = {
      blocks: [text('é')],
      finish: { reason: 'stop' },
      logprobs: [{ token: 'é', logprob: -0.5 }],
    }
    const body = chatCompletions.writeResponse({ choices: [choice] }, { id: 'x', model: 'm', request: REQUEST }, [])
    expect(body).toMatchObject({
      choices: [{ logprobs: { content: [{ token: 'é', logprob: -0.5, bytes: [195, 169], top_logprobs: [] }] } }],
    })
  })
})
