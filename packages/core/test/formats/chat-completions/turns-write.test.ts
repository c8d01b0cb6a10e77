import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Message } from '../../../src/canonical/request.ts'
import type { Target } from '../../../src/canonical/target.ts'
import { assistant, call, refusal, result, text, user, write, writeMessages } from './written.ts'

describe('messages written as chat completions', () => {
  it('one text is a string, several parts are a list', () => {
    expect(writeMessages([user(text('a')), user(text('a'), text('b'))])).toEqual([
      { role: 'user', content: 'a' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  it('case 1: calls without text have null content', () => {
    expect(writeMessages([assistant(call('c1')), user(result('c1', text('72')))])).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '72' },
    ])
  })

  it('cases 8 and 17: results come right after their calls, other content follows', () => {
    const expected = [{ role: 'assistant' }, { role: 'tool', tool_call_id: 'c1' }, { role: 'user', content: 'and?' }]
    expect(writeMessages([assistant(call('c1')), user(text('and?')), user(result('c1'))])).toMatchObject(expected)
    expect(writeMessages([assistant(call('c1')), user(result('c1'), text('and?'))])).toMatchObject(expected)
  })

  it('case 10: a call without its result is a 400 that names it', () => {
    const error = refusal({ messages: [assistant(call('c1'), call('c2')), user(result('c1'))] })
    expect(error).toMatchObject({ status: 400, param: 'call c2' })
    expect(error.message).toContain('"c2"')
  })

  it('a result without its call is a 400 that names it', () => {
    expect(refusal({ messages: [user(result('c9'))] })).toMatchObject({ status: 400, param: 'result c9' })
  })

  it('neighboring assistant turns with calls are one message', () => {
    const messages = writeMessages([
      assistant(text('a'), call('c1')),
      assistant(call('c2')),
      user(result('c2'), result('c1')),
    ])
    expect(messages).toMatchObject([
      { content: 'a', tool_calls: [{ id: 'c1' }, { id: 'c2' }] },
      { tool_call_id: 'c2' },
      { tool_call_id: 'c1' },
    ])
  })

  it('cases 19 and 20: a result without content is an empty text', () => {
    expect(writeMessages([assistant(call('c1')), user(result('c1'))])).toMatchObject([
      {},
      { role: 'tool', content: '' },
    ])
  })

  it('cases 21 and 23: media of a result follow in a user message', () => {
    const image: Block = {
      type: 'media',
      at: 'img',
      kind: 'image',
      mime: 'image/png',
      source: { type: 'base64', data: 'iVBO' },
    }
    const pdf: Block = {
      type: 'media',
      at: 'pdf',
      kind: 'document',
      mime: 'application/pdf',
      source: { type: 'base64', data: 'JVBE' },
    }
    const { body, paths } = write({
      messages: [assistant(call('t1')), user(result('t1', text('see'), image, pdf), text('so?'))],
    })
    const label = { type: 'text', text: 'Attachment of tool result t1:' }
    expect(body['messages']).toEqual([
      expect.anything(),
      { role: 'tool', tool_call_id: 't1', content: 'see\n[image attached below: t1]\n[document attached below: t1]' },
      {
        role: 'user',
        content: [
          label,
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
          label,
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
        ],
      },
      { role: 'user', content: 'so?' },
    ])
    expect(paths).toEqual(['img;changed', 'pdf;changed'])
  })

  it('media of one result do not come between it and the next', () => {
    const image: Block = { type: 'media', kind: 'image', mime: 'image/png', source: { type: 'base64', data: 'iVBO' } }
    const messages = [assistant(call('a'), call('b')), user(result('a', image), result('b', text('2')))]
    expect(writeMessages(messages)).toMatchObject([{}, { tool_call_id: 'a' }, { tool_call_id: 'b' }, { role: 'user' }])
  })

  it('a failed result says so in its text', () => {
    const failed = (...blocks: Block[]): Message =>
      user({ type: 'tool-result', at: 'r', id: 'c1', error: true, blocks })
    expect(writeMessages([assistant(call('c1')), failed(text('boom'))])).toMatchObject([{}, { content: 'Error: boom' }])
    expect(writeMessages([assistant(call('c1')), failed(text('Error 5'))])).toMatchObject([{}, { content: 'Error 5' }])
    expect(writeMessages([assistant(call('c1')), failed()])).toMatchObject([{}, { content: 'Error' }])
    expect(write({ messages: [assistant(call('c1')), failed(text('boom'))] }).paths).toEqual(['r.is_error;changed'])
  })

  it('case 34: long ids of calls are shortened alike in calls and results', () => {
    const id = 'toolu_'.padEnd(60, 'x')
    const messages = writeMessages([assistant(call(id)), user(result(id))]) as {
      tool_calls?: { id: string }[]
      tool_call_id?: string
    }[]
    expect(messages[0]?.tool_calls?.[0]?.id.length).toBe(40)
    expect(messages[1]?.tool_call_id).toBe(messages[0]?.tool_calls?.[0]?.id)
  })

  it('case 49: calls of the provider’s own tools are left out and declared', () => {
    const hosted: Block = { type: 'hosted-call', at: 'h', id: 's1', name: 'web-search', arguments: '{}' }
    const { body, paths } = write({ messages: [assistant(hosted, text('found'))] })
    expect(body['messages']).toEqual([{ role: 'assistant', content: 'found' }])
    expect(paths).toEqual(['h;dropped'])
  })

  it('case 331: arguments go out as they came', () => {
    const messages = [assistant(call('c1', 'f', '{"n":9007199254740993, "a": 1.0}')), user(result('c1'))]
    expect(writeMessages(messages)).toMatchObject([
      { tool_calls: [{ function: { arguments: '{"n":9007199254740993, "a": 1.0}' } }] },
      {},
    ])
  })

  it('case 3: empty arguments of another format become {}', () => {
    expect(writeMessages([assistant(call('c1', 'f', '')), user(result('c1'))])).toMatchObject([
      { tool_calls: [{ function: { arguments: '{}' } }] },
      {},
    ])
  })

  it('text after a call is declared, as it moves before it', () => {
    const { body, paths } = write({
      messages: [{ role: 'assistant', at: 'm', blocks: [text('a'), call('c1'), text('b')] }, user(result('c1'))],
    })
    expect(body['messages']).toMatchObject([{ content: 'ab' }, {}])
    expect(paths).toEqual(['m;changed'])
  })
})

describe('system messages written as chat completions', () => {
  const system = (...blocks: Block[]): Message => ({ role: 'system', at: 'system', blocks })

  it('case 129: one plain text, where the server knows no more', () => {
    const messages = [system(text('a'), text('b')), system(text('c')), user(text('hi'))]
    expect(writeMessages(messages, { model: 'llama', facts: { plainSystem: true } })).toEqual([
      { role: 'system', content: 'a\n\nb\n\nc' },
      { role: 'user', content: 'hi' },
    ])
    expect(writeMessages(messages)).toMatchObject([{ content: [{ text: 'a' }, { text: 'b' }] }, { content: 'c' }, {}])
  })

  it('case 127: a later one stays in place, or becomes a marked user turn where the server knows only a leading one', () => {
    const messages = [user(text('hi')), system(text('be brief'))]
    expect(writeMessages(messages)).toMatchObject([{ role: 'user' }, { role: 'system', content: 'be brief' }])
    const { body, paths } = write({ messages }, { model: 'llama', facts: { plainSystem: true } })
    expect(body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'user', content: '<system-reminder>\nbe brief\n</system-reminder>' },
    ])
    expect(paths).toEqual(['system;changed'])
  })

  it('case 135: an empty one is left out where it would be joined', () => {
    expect(writeMessages([system(), user(text('hi'))], { model: 'llama', facts: { plainSystem: true } })).toEqual([
      { role: 'user', content: 'hi' },
    ])
  })
})

describe('reasoning and signatures written as chat completions', () => {
  const thought = (fields: Partial<Block & { type: 'reasoning' }> = {}): Block => ({
    type: 'reasoning',
    at: 't',
    text: 'hm',
    ...fields,
  })
  const claude = { signer: 'claude', value: 'sig' }

  it('reasoning is left out and declared where the provider takes none back', () => {
    const { body, paths } = write({ messages: [assistant(thought(), text('a'))] })
    expect(body['messages']).toEqual([{ role: 'assistant', content: 'a' }])
    expect(paths).toEqual(['t;dropped'])
  })

  it.each([
    ['reasoning_content', undefined, { reasoning_content: 'hm' }],
    ['thinking_blocks', 'claude', { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }] }],
    [
      'reasoning_details',
      'claude',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'hm', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
        ],
      },
    ],
  ] as const)('goes back in %s, where the provider says so', (reasoning, signer, expected) => {
    const target = { model: 'm', signer, facts: { reasoning } }
    expect(writeMessages([assistant(thought({ signature: claude }), text('a'))], target)).toMatchObject([expected])
  })

  it('case 113: a signature goes to its signer only, and the call beside it survives', () => {
    const target: Target = { model: 'm', signer: 'gemini', facts: { reasoning: 'thinking_blocks' } }
    const signed: Block = {
      type: 'tool-call',
      at: 'c',
      id: 'c1',
      name: 'f',
      arguments: '{}',
      signature: { signer: 'gemini', value: 'G' },
    }
    const { body, paths } = write(
      { messages: [assistant(thought({ signature: claude }), signed), user(result('c1'))] },
      target,
    )
    expect(body['messages']).toMatchObject([
      { tool_calls: [{ id: 'c1', extra_content: { google: { thought_signature: 'G' } } }] },
      {},
    ])
    expect(body['messages']).not.toMatchObject([{ thinking_blocks: expect.anything() }, {}])
    expect(paths).toEqual(['t;dropped'])
    expect(write({ messages: [assistant(signed), user(result('c1'))] }).paths).toEqual(['c.signature;dropped'])
  })

  it('case 112: encrypted reasoning goes back with the id that it is bound to', () => {
    const block = thought({ text: '', redacted: true, signature: { signer: 'gpt', value: 'rs_1:xyz' } })
    const target: Target = { model: 'm', signer: 'gpt', facts: { reasoning: 'reasoning_details' } }
    expect(writeMessages([assistant(block, text('a'))], target)).toMatchObject([
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz', id: 'rs_1', format: 'openai-responses-v1' }] },
    ])
  })

  it('thoughts go back without the signature of another, which is declared, and encrypted ones do not', () => {
    const target: Target = { model: 'm', signer: 'gpt', facts: { reasoning: 'reasoning_details' } }
    const hidden = thought({ at: 'h', text: '', redacted: true, signature: claude })
    const { body, paths } = write({ messages: [assistant(thought({ signature: claude }), hidden, text('a'))] }, target)
    expect(body['messages']).toEqual([
      { role: 'assistant', content: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] },
    ])
    expect(paths).toEqual(['t.signature;dropped', 'h;dropped'])
  })
})
