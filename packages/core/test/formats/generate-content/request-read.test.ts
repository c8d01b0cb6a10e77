import { describe, expect, it } from 'vitest'
import { seal } from '../../../src/canonical/envelope.ts'
import type { Json } from '../../../src/canonical/json.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'
import { errorOf, read, readTurns } from './values.ts'

const HELLO: Json = { role: 'user', parts: [{ text: 'hi' }] }

describe('the request line of generateContent', () => {
  it('names the model and says whether to stream', () => {
    const request = generateContent.readRequest({ contents: [HELLO] }, { model: 'gemini-3.5-flash', stream: true })
    expect(request).toMatchObject({ model: 'gemini-3.5-flash', stream: true, streamUsage: true })
  })

  it('may be missing when the body names the model', () => {
    expect(generateContent.readRequest({ model: 'models/gemini-3.5-flash', contents: [HELLO] }).model).toBe(
      'gemini-3.5-flash',
    )
    expect(errorOf(() => generateContent.readRequest({ contents: [HELLO] })).param).toBe('model')
  })
})

describe('reading contents', () => {
  it('case 138: a turn without a role is of the user, and `function` is a tool result', () => {
    const messages = readTurns(
      { parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
      { role: 'function', parts: [{ functionResponse: { name: 'f', response: { output: 'b' } } }] },
    )
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[2]?.blocks[0]).toMatchObject({ type: 'tool-result', name: 'f' })
  })

  it('names the path of every turn and part', () => {
    const [message] = readTurns({ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] })
    expect(message?.at).toBe('contents[0]')
    expect(message?.blocks.map((block) => block.at)).toEqual(['contents[0].parts[0]', 'contents[0].parts[1]'])
  })

  it('case 29: calls without ids get the same ids every time, and results find them first in, first out', () => {
    const turns: Json[] = [
      {
        role: 'model',
        parts: [{ functionCall: { name: 'f', args: { n: 1 } } }, { functionCall: { name: 'f', args: { n: 2 } } }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'f', response: { output: 'one' } } },
          { functionResponse: { name: 'f', response: { output: 'two' } } },
        ],
      },
    ]
    const ids = (): unknown =>
      readTurns(...turns).flatMap((message) => message.blocks.map((block) => 'id' in block && block.id))
    expect(ids()).toEqual(['call_0_0', 'call_0_1', 'call_0_0', 'call_0_1'])
    expect(ids()).toEqual(ids())
  })

  it('case 30: ids that are given are kept, and pair results that come in another order', () => {
    const messages = readTurns(
      { role: 'model', parts: [{ functionCall: { id: 'x', name: 'f' } }, { functionCall: { id: 'y', name: 'f' } }] },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'y', name: 'f', response: {} } },
          { functionResponse: { id: 'x', name: 'f', response: {} } },
        ],
      },
    )
    expect(messages[1]?.blocks.map((block) => 'id' in block && block.id)).toEqual(['y', 'x'])
  })

  it('case 37: function names with dots and colons are kept', () => {
    const request = read({ contents: [HELLO], tools: [{ functionDeclarations: [{ name: 'ns:tool.v1' }] }] })
    expect(request.tools?.[0]).toMatchObject({ type: 'function', name: 'ns:tool.v1' })
  })

  it.each([
    [{ output: 'x' }, 'x', undefined],
    [{ error: 'boom' }, 'boom', true],
    [{ t: 72 }, '{"t":72}', undefined],
    [{ output: { t: 72 } }, '{"t":72}', undefined],
    [{ output: 'x', more: 1 }, '{"output":"x","more":1}', undefined],
  ])('reads the response %j of a function', (response, text, error) => {
    const [, message] = readTurns(
      { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
      { parts: [{ functionResponse: { name: 'f', response } }] },
    )
    const [block] = message?.blocks ?? []
    expect(block).toMatchObject({ blocks: [{ type: 'text', text }] })
    expect(block && 'error' in block ? block.error : undefined).toBe(error)
  })

  it('reads media inside a function response', () => {
    const part = {
      functionResponse: { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
    }
    const [message] = readTurns({ parts: [part] })
    expect(message?.blocks[0]).toMatchObject({
      blocks: [{ type: 'media', kind: 'image', mime: 'image/png', source: { type: 'base64', data: 'aGk=' } }],
    })
  })

  it('reads thoughts, and signatures of thoughts, text and calls', () => {
    const [message] = readTurns({
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: 'c2lnMQ==' },
        { text: 'a', thoughtSignature: 'c2lnMg==' },
        { functionCall: { name: 'f' }, thoughtSignature: 'c2lnMw==' },
      ],
    })
    expect(message?.blocks).toMatchObject([
      { type: 'reasoning', text: 'hm', signature: { signer: 'gemini', value: 'c2lnMQ==' } },
      { type: 'text', text: 'a', signature: { value: 'c2lnMg==' } },
      { type: 'tool-call', signature: { value: 'c2lnMw==' } },
    ])
  })

  it('takes the word for a call that nobody signed as no signature', () => {
    const part = { functionCall: { name: 'f' }, thoughtSignature: 'skip_thought_signature_validator' }
    const [message] = readTurns({ role: 'model', parts: [part] })
    expect(message?.blocks).toEqual([expect.not.objectContaining({ signature: expect.anything() })])
  })

  it('opens the envelope around the signature of another model', () => {
    const thoughtSignature = seal({ signer: 'claude', value: 'abc' }, 'gemini', 'base64')
    const [message] = readTurns({ role: 'model', parts: [{ text: '', thought: true, thoughtSignature }] })
    expect(message?.blocks[0]).toMatchObject({ type: 'reasoning', signature: { signer: 'claude', value: 'abc' } })
  })

  it('keeps code execution and server-side tools as they are', () => {
    const parts = [
      { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'YQ==' },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['q'] } } },
      { toolResponse: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', response: {} } },
    ]
    const [message] = readTurns({ role: 'model', parts })
    expect(message?.blocks).toMatchObject([
      { type: 'hosted-call', id: 'call_0_0', name: 'code-execution' },
      { type: 'hosted-result', id: 'call_0_0', name: 'code-execution', text: '1' },
      { type: 'hosted-call', id: 't', name: 'web-search', arguments: '{"queries":["q"]}' },
      { type: 'hosted-result', id: 't', name: 'web-search' },
    ])
    expect(message?.blocks.map((block) => block.extensions?.fields)).toEqual(parts)
  })

  it('case 152: base64 of both alphabets and with white space becomes standard base64', () => {
    const [message] = readTurns({ parts: [{ inlineData: { mimeType: 'image/jpg', data: '_-8\n=' } }] })
    expect(message?.blocks[0]).toMatchObject({ mime: 'image/jpeg', source: { type: 'base64', data: '/+8=' } })
  })

  it.each([
    ['https://generativelanguage.googleapis.com/v1beta/files/abc', 'image', { type: 'file' }],
    ['gs://bucket/a.png', 'image', { type: 'file' }],
    ['https://example.com/a.pdf', 'document', { type: 'url' }],
    ['https://www.youtube.com/watch?v=1', 'video', { type: 'url' }],
  ])('reads the file at %s', (fileUri, kind, source) => {
    const [message] = readTurns({ parts: [{ fileData: { fileUri } }] })
    expect(message?.blocks[0]).toMatchObject({ type: 'media', kind, source })
  })

  it('keeps what other formats do not know of a part', () => {
    const [message] = readTurns({
      parts: [{ fileData: { fileUri: 'https://youtu.be/1' }, videoMetadata: { fps: 2 }, future: true }],
    })
    expect(message?.blocks[0]?.extensions).toEqual({
      format: 'generate-content',
      fields: { videoMetadata: { fps: 2 }, future: true },
    })
    const [, results] = readTurns(
      { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
      { parts: [{ functionResponse: { name: 'f', response: {}, scheduling: 'SILENT' } }] },
    )
    expect(results?.blocks[0]?.extensions?.fields).toEqual({ 'functionResponse.scheduling': 'SILENT' })
  })

  it('reads one turn or part in place of a list', () => {
    const request = read({ contents: { parts: { text: 'hi' } }, systemInstruction: { parts: { text: 'be' } } })
    expect(request.messages.map((message) => message.blocks)).toMatchObject([[{ text: 'be' }], [{ text: 'hi' }]])
  })
})

describe('snake_case', () => {
  it('is read at every level, and paths name fields in camelCase', () => {
    const request = read({
      system_instruction: { parts: [{ text: 'be' }] },
      contents: [
        { role: 'model', parts: [{ function_call: { name: 'f', args: { snake_key: 1 } }, thought_signature: 'YQ==' }] },
        { parts: [{ function_response: { name: 'f', response: { other_key: 2 } } }] },
      ],
      generation_config: {
        max_output_tokens: 5,
        stop_sequences: ['x'],
        thinking_config: { thinking_budget: 7, include_thoughts: true },
      },
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
    })
    expect(request).toMatchObject({
      maxTokens: 5,
      stop: ['x'],
      reasoning: { budget: 7, show: true },
      toolChoice: { type: 'tool', name: 'f' },
      messages: [
        { role: 'system' },
        { blocks: [{ arguments: '{"snake_key":1}', signature: { value: 'YQ==' } }] },
        { blocks: [{ blocks: [{ text: '{"other_key":2}' }] }] },
      ],
    })
    expect(errorOf(() => read({ contents: [{ parts: [{ inline_data: { mime_type: 5 } }] }] })).param).toBe(
      'contents[0].parts[0].inlineData.mimeType',
    )
  })

  it('leaves names of properties as they are, and reads fields of schemas', () => {
    const parameters = {
      type: 'OBJECT',
      properties: { max_items: { type: 'ARRAY', max_items: '3', items: { any_of: [{ type: 'STRING' }] } } },
    }
    const request = read({ contents: [HELLO], tools: [{ function_declarations: [{ name: 'f', parameters }] }] })
    expect(request.tools?.[0]).toMatchObject({
      schema: {
        type: 'object',
        properties: { max_items: { type: 'array', maxItems: 3, items: { anyOf: [{ type: 'string' }] } } },
      },
    })
  })

  it('beside camelCase of the same field is refused', () => {
    const error = errorOf(() => read({ contents: [HELLO], generationConfig: { topK: 1, top_k: 2 } }))
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'generationConfig.topK' })
  })
})
