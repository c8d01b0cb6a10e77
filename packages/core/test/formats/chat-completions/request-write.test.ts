import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { ChatRequest, ToolChoice } from '../../../src/canonical/request.ts'
import type { Target } from '../../../src/canonical/target.ts'
import {
  assistant,
  call,
  GPT_4,
  GPT_5,
  OTHER,
  refusal,
  result,
  text,
  tool,
  user,
  write,
  writeMessages,
} from './written.ts'

describe('media written as chat completions', () => {
  const base64 = (
    mime: string,
    data: string,
    kind: 'image' | 'document' | 'audio' | 'video' = 'document',
  ): Block & { type: 'media' } => ({
    type: 'media',
    at: 'm',
    kind,
    mime,
    source: { type: 'base64', data },
  })
  const written = (block: Block, target?: Target) =>
    (writeMessages([user(block, text('?'))], target) as { content: Json[] }[])[0]?.content[0]

  it('cases 166 and 168: a document has its title as file name, or a default one', () => {
    expect(written({ ...base64('application/pdf', 'JVBE'), name: 'Report' })).toEqual({
      type: 'file',
      file: { filename: 'Report', file_data: 'data:application/pdf;base64,JVBE' },
    })
    expect(written(base64('application/pdf', 'JVBE'))).toMatchObject({ file: { filename: 'document.pdf' } })
  })

  it('a document is raw base64 where the provider wants it so', () => {
    expect(written(base64('application/pdf', 'JVBE'), { model: 'm', facts: { documents: 'raw' } })).toMatchObject({
      file: { file_data: 'JVBE' },
    })
  })

  it('a document of plain text is text under its title', () => {
    expect(written({ ...base64('text/plain', btoa('hi')), name: 'n.txt' })).toEqual({
      type: 'text',
      text: 'n.txt\n\nhi',
    })
    expect(written({ type: 'media', kind: 'document', source: { type: 'text', text: 'hi' } })).toEqual({
      type: 'text',
      text: 'hi',
    })
  })

  it('images go by URL or data URL, with their detail', () => {
    expect(written({ ...base64('image/png', 'iVBO', 'image'), detail: 'low' })).toEqual({
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,iVBO', detail: 'low' },
    })
    expect(written({ type: 'media', kind: 'image', source: { type: 'url', url: 'https://e.com/a' } })).toMatchObject({
      image_url: { url: 'https://e.com/a' },
    })
  })

  it('audio goes as wav or mp3', () => {
    expect(written(base64('audio/mpeg', 'AAAA', 'audio'))).toEqual({
      type: 'input_audio',
      input_audio: { data: 'AAAA', format: 'mp3' },
    })
  })

  it.each<[string, Block, Target | undefined]>([
    [
      'case 170: a file of another provider',
      { type: 'media', at: 'm', kind: 'document', source: { type: 'file', id: 'f' } },
      undefined,
    ],
    [
      'a document by URL',
      { type: 'media', at: 'm', kind: 'document', source: { type: 'url', url: 'https://e.com/a.pdf' } },
      undefined,
    ],
    [
      'an image by URL where none is taken',
      { type: 'media', at: 'm', kind: 'image', source: { type: 'url', url: 'https://e.com' } },
      { model: 'm', facts: { imageUrls: false } },
    ],
    [
      'an image in a bucket',
      { type: 'media', at: 'm', kind: 'image', source: { type: 'url', url: 'gs://b/a.png' } },
      undefined,
    ],
    ['audio of another kind', base64('audio/ogg', 'AAAA', 'audio'), undefined],
    ['a video', base64('video/mp4', 'AAAA', 'video'), undefined],
  ])('%s is a 400 that names it', (_, block, target) => {
    expect(refusal({ messages: [user(block)] }, target)).toMatchObject({ status: 400, param: 'm' })
  })
})

describe('tools written as chat completions', () => {
  it('cases 35, 37 and 39: names are fitted everywhere, and can be restored', () => {
    const long = 'x'.repeat(80)
    const { body, restore } = write({
      tools: [tool('ns:a.b'), tool('ns_a_b'), tool(long)],
      toolChoice: { type: 'tool', name: 'ns:a.b' },
      messages: [assistant(call('c1', 'ns:a.b')), user(result('c1'))],
    })
    const names = (body['tools'] as { function: { name: string } }[]).map(({ function: { name } }) => name)
    expect(new Set(names).size).toBe(3)
    expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true)
    expect(body['tool_choice']).toEqual({ type: 'function', function: { name: names[0] } })
    expect(body['messages']).toMatchObject([{ tool_calls: [{ function: { name: names[0] } }] }, {}])
    expect(names.map((name) => restore?.names?.get(name) ?? name)).toEqual(['ns:a.b', 'ns_a_b', long])
  })

  it('cases 41 and 42: a tool without a schema has an empty object, a typeless schema an object', () => {
    const { body } = write({ tools: [tool('a'), tool('b', { schema: { properties: { x: {} } } })] })
    expect(body['tools']).toMatchObject([
      { function: { parameters: { type: 'object', properties: {} } } },
      { function: { parameters: { type: 'object', properties: { x: {} } } } },
    ])
  })

  it('cases 88 and 89: schemas are neither changed nor reordered', () => {
    const schema = { type: 'object', properties: { b: { type: 'string' }, a: { type: 'number' } }, required: ['b'] }
    const before = JSON.stringify(schema)
    const first = JSON.stringify(write({ tools: [tool('a', { schema, strict: true })] }).body)
    expect(JSON.stringify(schema)).toBe(before)
    expect(first).toContain(before)
    expect(JSON.stringify(write({ tools: [tool('a', { schema, strict: true })] }).body)).toBe(first)
  })

  it('strict is kept where the schema allows it, else declared: no optional field becomes required', () => {
    const closed = {
      type: 'object',
      properties: { x: { type: 'string' } },
      required: ['x'],
      additionalProperties: false,
    }
    const open = { ...closed, required: [] }
    const { body, paths } = write({
      tools: [tool('a', { schema: closed, strict: true }), tool('b', { schema: open, strict: true })],
    })
    expect(body['tools']).toEqual([
      { type: 'function', function: { name: 'a', parameters: closed, strict: true } },
      { type: 'function', function: { name: 'b', parameters: open } },
    ])
    expect(paths).toEqual(['tool b.strict;changed'])
  })

  it('case 45 and 61: without tools neither choice nor parallelism is sent', () => {
    const { body } = write({ toolChoice: { type: 'auto' }, parallelTools: false })
    expect(Object.keys(body)).toEqual(['model', 'messages'])
  })

  const SEARCHING: Target = { ...OTHER, facts: { webSearch: true } }

  it('case 48: web search is web_search_options where the server searches, other hosted tools are left out, or a 400 where one must be called', () => {
    const search = {
      type: 'hosted',
      at: 'tools[0]',
      name: 'web-search',
      maxUses: 3,
      location: { city: 'Paris' },
    } as const
    const { body, paths } = write({ tools: [search] }, SEARCHING)
    expect(body).toMatchObject({
      web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Paris' } } },
    })
    expect(body).not.toHaveProperty('tools')
    expect(paths).toEqual(['tools[0].max_uses;dropped'])
    const code = { type: 'hosted', at: 'tools[0]', name: 'code-execution' } as const
    const offered = write({ tools: [code], toolChoice: { type: 'auto' } })
    expect(offered.body).not.toHaveProperty('tools')
    expect(offered.paths).toEqual(['tools[0];dropped'])
    for (const toolChoice of [{ type: 'required' }, { type: 'tool', name: 'code-execution' }] as const)
      expect(refusal({ tools: [code], toolChoice })).toMatchObject({ status: 400, param: 'tools[0]' })
    expect(write({ tools: [search] }, OTHER)).toMatchObject({ paths: ['tools[0];dropped'] })
    expect(write({ tools: [search] }, OTHER).body).not.toHaveProperty('web_search_options')
    expect(refusal({ tools: [search], toolChoice: { type: 'tool', name: 'web-search' } }, OTHER)).toMatchObject({
      param: 'tools[0]',
    })
  })

  it.each([GPT_4, OTHER])('a choice of a tool that is not declared is a 400: %j', (target) => {
    const refused = { status: 400, param: 'tool_choice', message: expect.stringContaining('"x"') }
    const paths = { toolChoice: 'tool_choice' }
    const choices: ToolChoice[] = [
      { type: 'tool', name: 'x' },
      { type: 'allowed', names: ['a', 'x'], required: false },
      { type: 'allowed', names: ['x'], required: true },
    ]
    for (const toolChoice of choices)
      expect(refusal({ tools: [tool('a')], toolChoice, paths }, target)).toMatchObject(refused)
  })

  it('a web search stays beside the functions that are allowed, and can not be forced itself', () => {
    const search = { type: 'hosted', name: 'web-search' } as const
    const paths = { toolChoice: 'tool_choice' }
    const some = write(
      { tools: [tool('a'), tool('b'), search], toolChoice: { type: 'allowed', names: ['a'], required: false } },
      SEARCHING,
    )
    expect(some.body).toMatchObject({ tools: [{ function: { name: 'a' } }], web_search_options: {} })
    for (const tools of [[search], [tool('a'), search]]) {
      const forced = write({ tools, toolChoice: { type: 'tool', name: 'web-search' }, paths }, SEARCHING)
      expect(forced.body).not.toHaveProperty('tool_choice')
      expect(forced.paths).toEqual(['tool_choice;dropped'])
    }
    expect(write({ tools: [search], toolChoice: { type: 'none' }, paths }, SEARCHING).paths).toEqual([
      'tool_choice;dropped',
    ])
  })

  it('case 64: some allowed tools are named, or alone sent where the server does not know the choice', () => {
    const fields: Partial<ChatRequest> = {
      tools: [tool('a'), tool('b'), tool('c')],
      toolChoice: { type: 'allowed', names: ['a', 'b'], required: true },
    }
    expect(write(fields).body['tool_choice']).toEqual({
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'required',
        tools: [
          { type: 'function', function: { name: 'a' } },
          { type: 'function', function: { name: 'b' } },
        ],
      },
    })
    expect(write(fields, OTHER).body).toMatchObject({
      tool_choice: 'required',
      tools: [{ function: { name: 'a' } }, { function: { name: 'b' } }],
    })
  })
})

describe('parameters written as chat completions', () => {
  it.each([
    ['gpt-4.1', 'max_tokens'],
    ['gpt-5.4-mini', 'max_completion_tokens'],
    ['openai/o3', 'max_completion_tokens'],
    ['llama-4', 'max_tokens'],
  ])('the limit of %s is %s', (model, field) => {
    expect(write({ maxTokens: 9 }, { model }).body).toHaveProperty(field, 9)
  })

  it('the limit has the name that the provider says', () => {
    expect(write({ maxTokens: 9 }, { model: 'gpt-5', facts: { maxTokens: 'max_tokens' } }).body).toHaveProperty(
      'max_tokens',
      9,
    )
  })

  it('case 179: a limit of zero is a 400', () => {
    expect(refusal({ maxTokens: 0, paths: { maxTokens: 'max_tokens' } })).toMatchObject({
      status: 400,
      param: 'max_tokens',
    })
  })

  it('a stream asks for usage, unless the provider always or never has it', () => {
    expect(write({ stream: true }).body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(write({ stream: true }, { model: 'm', facts: { usageInStream: 'always' } }).body).not.toHaveProperty(
      'stream_options',
    )
    expect(write({}).body).not.toHaveProperty('stream')
  })

  it('sampling is left out and declared where the model refuses it', () => {
    const fields = {
      temperature: 0.2,
      topP: 1,
      seed: 4,
      paths: { temperature: 'temperature', topP: 'top_p', seed: 'seed' },
    }
    expect(write(fields, GPT_5)).toMatchObject({ body: { seed: 4 }, paths: ['temperature;dropped'] })
    expect(write(fields, GPT_5).body).not.toHaveProperty('top_p')
    expect(write(fields, { ...GPT_4, limits: { id: 'm', sampling: false } }).paths).toEqual(['temperature;dropped'])
    expect(write(fields, { ...GPT_5, limits: { id: 'm', sampling: true } }).body).toMatchObject({
      temperature: 0.2,
      top_p: 1,
    })
    expect(write({ ...fields, reasoning: { effort: 'none' } }, { model: 'gpt-5.2' }).body).toMatchObject({
      temperature: 0.2,
    })
  })

  it('case 183: top_k of another format is left out and declared', () => {
    expect(write({ topK: 4, paths: { topK: 'top_k' } }).paths).toEqual(['top_k;dropped'])
  })

  it('case 185: only four stop sequences are sent', () => {
    const { body, paths } = write({ stop: ['a', 'b', 'c', 'd', 'e', 'f'], paths: { stop: 'stop_sequences' } })
    expect(body['stop']).toEqual(['a', 'b', 'c', 'd'])
    expect(paths).toEqual(['stop_sequences;changed'])
  })

  it.each<[string, ChatRequest['reasoning'], Target, string | undefined]>([
    ['case 117: adaptive thinking', { adaptive: true }, GPT_5, 'medium'],
    ['adaptive thinking with an effort', { adaptive: true, effort: 'high' }, GPT_5, 'high'],
    ['case 118: thinking switched off', { effort: 'none' }, { model: 'gpt-5.2' }, 'none'],
    ['thinking switched off where it can not be', { effort: 'none' }, GPT_5, undefined],
    ['a small budget', { budget: 1024 }, GPT_5, 'minimal'],
    ['a budget', { budget: 10_000 }, GPT_5, 'medium'],
    ['a large budget', { budget: 50_000 }, GPT_5, 'high'],
    ['a budget that the model decides', { budget: -1 }, GPT_5, undefined],
    ['an effort that the model does not know', { effort: 'max' }, { model: 'o3' }, 'high'],
    ['an effort that the model does not know', { effort: 'minimal' }, OTHER, 'low'],
    ['an effort of a model that does not reason', { effort: 'high' }, GPT_4, undefined],
  ])('%s: %j', (_, reasoning, target, expected) => {
    expect(write({ ...(reasoning && { reasoning }) }, target).body['reasoning_effort']).toBe(expected)
  })

  it('case 96: a schema with optional fields keeps them, and is strict only if it can be', () => {
    const closed = { type: 'object', properties: { x: {} }, required: ['x'], additionalProperties: false }
    const open = { type: 'object', properties: { x: {} } }
    expect(write({ output: { type: 'schema', schema: closed } }).body).toMatchObject({
      response_format: { json_schema: { strict: true, schema: closed } },
    })
    const { body, paths } = write({
      output: { type: 'schema', schema: open, strict: true },
      paths: { output: 'format' },
    })
    expect(body['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'response', schema: open } })
    expect(paths).toEqual(['format;changed'])
  })

  it('case 97: a schema has a name that the vendor takes', () => {
    expect(write({ output: { type: 'schema', schema: {}, name: 'my schema!' } }).body).toMatchObject({
      response_format: { json_schema: { name: 'my_schema_' } },
    })
  })

  it('plain JSON is asked for in words as well, as the vendor demands', () => {
    const { body, paths } = write({ output: { type: 'json' }, paths: { output: 'generationConfig.responseMimeType' } })
    expect(body).toMatchObject({
      response_format: { type: 'json_object' },
      messages: [{ role: 'system' }, { role: 'user' }],
    })
    expect(paths).toEqual(['generationConfig.responseMimeType;changed'])
    expect(write({ output: { type: 'json' }, messages: [user(text('Give me JSON.'))] }).losses).toEqual([])
  })

  it('a long user is shortened and declared', () => {
    const { body, paths } = write({ user: 'u'.repeat(100), paths: { user: 'metadata.user_id' } })
    expect(body['user']).toHaveLength(64)
    expect(paths).toEqual(['metadata.user_id;changed'])
  })

  it('case 145: a cache mark is written as the model takes it, or declared', () => {
    const messages = [user({ type: 'text', at: 'm', text: 'a', cache: { ttl: '1h' } }, text('b'))]
    expect(writeMessages(messages, { model: 'gpt-5.6' })).toMatchObject([
      { content: [{ prompt_cache_breakpoint: { mode: 'explicit' } }, {}] },
    ])
    expect(writeMessages(messages, { model: 'm', signer: 'claude' })).toMatchObject([
      { content: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }, {}] },
    ])
    expect(write({ messages }).paths).toEqual(['m.cache_control;dropped'])
  })

  it('case 196: fields of another format are declared, not sent', () => {
    const { body, paths } = write({ extensions: { format: 'messages', fields: { container: 'c' } } })
    expect(body).not.toHaveProperty('container')
    expect(paths).toEqual(['container;dropped'])
  })
})
