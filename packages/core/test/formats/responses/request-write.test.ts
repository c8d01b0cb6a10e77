import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Message, Tool } from '../../../src/canonical/request.ts'
import { NEWEST, OLD, OTHER, write } from './support.ts'

const user = (...blocks: Block[]): Message => ({ role: 'user', blocks })
const assistant = (...blocks: Block[]): Message => ({ role: 'assistant', blocks })
const text = (said: string): Block => ({ type: 'text', text: said })
const call: Block = {
  type: 'tool-call',
  at: 'messages[1].tool_calls[0]',
  id: 'call_1',
  name: 'f',
  arguments: '{"a":1}',
}
const result = (...blocks: Block[]): Block => ({ type: 'tool-result', at: 'messages[2]', id: 'call_1', blocks })
const PNG = { type: 'base64', data: 'iVBORw0KGgo=' } as const

describe('A conversation written as the input of a responses request', () => {
  it('keeps nothing at the provider, and asks for encrypted reasoning where the model reasons', () => {
    expect(write({}, NEWEST).body).toEqual({
      model: 'gpt-5.4',
      input: [{ role: 'user', content: 'Hi' }],
      store: false,
      include: ['reasoning.encrypted_content'],
    })
    expect(write({}, OLD).body).not.toHaveProperty('include')
    expect(write({}, OTHER).body).not.toHaveProperty('include')
  })

  it('has calls and their results as items of their own', () => {
    const { body } = write({
      messages: [user(text('Go')), assistant(text('On it'), call), user(result(text('done')), text('And?'))],
    })
    expect(body['input']).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'On it' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'done' },
      { role: 'user', content: 'And?' },
    ])
  })

  it('cases 22 and 23: results have their images and documents in them', () => {
    const image: Block = { type: 'media', kind: 'image', mime: 'image/png', source: PNG }
    const pdf: Block = {
      type: 'media',
      kind: 'document',
      mime: 'application/pdf',
      name: 'a.pdf',
      source: { type: 'base64', data: 'JVBERi0=' },
    }
    const { body, lost } = write({
      messages: [user(text('Go')), assistant(call), user(result(text('see'), image, pdf))],
    })
    expect(body['input']).toMatchObject([
      {},
      {},
      {
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        ],
      },
    ])
    expect(lost).toEqual([])
  })

  it('says in its text that a result is an error', () => {
    const failed = { ...result(text('boom')), error: true } as Block
    const { body, lost } = write({ messages: [user(text('Go')), assistant(call), user(failed)] })
    expect(body['input']).toMatchObject([{}, {}, { output: 'Error: boom' }])
    expect(lost).toEqual(['messages[2].is_error;changed'])
  })

  it('refuses a call without a result, and a result without a call', () => {
    expect(() => write({ messages: [user(text('Go')), assistant(call)] })).toThrow(
      expect.objectContaining({ param: 'messages[1].tool_calls[0]' }),
    )
    expect(() => write({ messages: [user(result(text('x')))] })).toThrow(
      expect.objectContaining({ param: 'messages[2]' }),
    )
  })

  it('sends reasoning to who signed it only, under the id that it is bound to', () => {
    const thought = (signer: string, value: string): Block => ({
      type: 'reasoning',
      at: 'messages[0]',
      text: 'Hm',
      signature: { signer, value },
    })
    const { body, lost } = write({ messages: [assistant(thought('gpt', 'rs_1:ENC'), text('a')), user(text('b'))] })
    expect(body['input']).toMatchObject([
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'ENC' },
      { content: 'a' },
      { content: 'b' },
    ])
    expect(lost).toEqual([])
    const foreign = write({ messages: [assistant(thought('claude', 'SIG'), text('a')), user(text('b'))] })
    expect(JSON.stringify(foreign.body)).not.toContain('SIG')
    expect(foreign.lost).toEqual(['messages[0];dropped'])
  })

  it('has the system prompt where the caller put it', () => {
    const system = (developer: boolean): Message => ({
      role: 'system',
      blocks: [text('x')],
      ...(developer && { developer }),
    })
    expect(write({ messages: [system(true), user(text('a')), system(false)] }).body['input']).toMatchObject([
      { role: 'developer' },
      { role: 'user' },
      { role: 'system' },
    ])
  })

  it('refuses sounds and films, and several answers', () => {
    const sound: Block = { type: 'media', kind: 'audio', at: 'messages[0].content[0]', mime: 'audio/wav', source: PNG }
    expect(() => write({ messages: [user(sound)] })).toThrow(
      expect.objectContaining({ param: 'messages[0].content[0]' }),
    )
    expect(() => write({ n: 2, paths: { n: 'n' } })).toThrow(expect.objectContaining({ param: 'n' }))
  })
})

describe('Settings written for a responses provider', () => {
  it('lose what the format does not have', () => {
    const paths = { stop: 'stop', seed: 'seed', topK: 'top_k' }
    expect(write({ stop: ['x'], seed: 1, topK: 3, paths }).lost).toEqual([
      'top_k;dropped',
      'stop;dropped',
      'seed;dropped',
    ])
  })

  it('leave sampling to models that refuse it while they reason', () => {
    const paths = { temperature: 'temperature' }
    expect(write({ temperature: 0.5, paths, reasoning: { effort: 'low' } }).lost).toEqual(['temperature;dropped'])
    expect(write({ temperature: 0.5, paths, reasoning: { effort: 'none' } }).body).toMatchObject({
      temperature: 0.5,
      reasoning: { effort: 'none' },
    })
    expect(write({ temperature: 0.5, paths }, OLD).body).toMatchObject({ temperature: 0.5 })
  })

  it('ask for what other formats answer unasked', () => {
    expect(write({ logprobs: { top: 2 } }, OLD).body).toMatchObject({
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
    })
    expect(write({ reasoning: { effort: 'low', show: true } }).body).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
    })
  })

  it('raise a limit that is less than the vendor takes', () => {
    const { body, lost } = write({ maxTokens: 5, paths: { maxTokens: 'max_tokens' } })
    expect(body['max_output_tokens']).toBe(16)
    expect(lost).toEqual(['max_tokens;changed'])
  })

  it('say that a function is not strict, as the vendor takes it to be', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } }
    const closed = { ...open, required: ['a'], additionalProperties: false }
    const tool = (name: string, schema: typeof open, strict?: boolean) =>
      ({ type: 'function', at: `tools[${name}]`, name, schema, ...(strict && { strict }) }) as const
    const { body, lost } = write({ tools: [tool('a', open), tool('b', closed, true), tool('c', open, true)] })
    expect(body['tools']).toMatchObject([{ strict: false }, { strict: true }, { strict: false }])
    expect(lost).toEqual(['tools[c].strict;changed'])
  })

  it('have structured output strict where its schema allows it', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    expect(write({ output: { type: 'schema', schema } }).body['text']).toEqual({
      format: { type: 'json_schema', name: 'response', schema, strict: false },
    })
    expect(write({ output: { type: 'json' } }).body['input']).toMatchObject([
      { role: 'system', content: 'Answer in JSON.' },
      {},
    ])
  })

  it('have the tools of other vendors that the provider has as well', () => {
    const search: Tool = {
      type: 'hosted',
      name: 'web-search',
      location: { city: 'Oslo' },
      allowedDomains: ['a.test'],
      maxUses: 2,
      at: 'tools[0]',
    }
    const { body, lost } = write({
      tools: [search, { type: 'hosted', name: 'code-execution' }],
      toolChoice: { type: 'tool', name: 'web-search' },
    })
    expect(body).toMatchObject({
      tools: [
        {
          type: 'web_search',
          user_location: { type: 'approximate', city: 'Oslo' },
          filters: { allowed_domains: ['a.test'] },
        },
        { type: 'code_interpreter', container: { type: 'auto' } },
      ],
      tool_choice: { type: 'web_search' },
    })
    expect(lost).toEqual(['tools[0].max_uses;dropped'])
  })
})
