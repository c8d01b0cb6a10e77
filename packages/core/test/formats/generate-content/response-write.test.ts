import { describe, expect, it } from 'vitest'
import { unseal } from '../../../src/canonical/envelope.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { ChatResponse, Choice } from '../../../src/canonical/response.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'
import { request } from './values.ts'

const REPLY = { id: 'req_1', model: 'gemini-3.5-flash', request: request() }
function writeAnswer(response: ChatResponse): { body: Json; lost: string[] } {
  const losses: Loss[] = []
  const body = generateContent.writeResponse(response, REPLY, losses)
  return { body, lost: losses.map((loss) => loss.path) }
}

describe('writing an answer', () => {
  const response = (choice: Partial<Choice>, more: Partial<ChatResponse> = {}): ChatResponse => ({
    choices: [{ at: 'choices[0]', blocks: [], finish: { reason: 'stop' }, ...choice }],
    ...more,
  })

  it('names the upstream as it named itself, else as it is called', () => {
    expect(writeAnswer(response({})).body).toEqual({
      candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
      modelVersion: 'gemini-3.5-flash',
      responseId: 'req_1',
    })
    expect(writeAnswer(response({}, { id: 'x', model: 'claude', created: 10 })).body).toMatchObject({
      modelVersion: 'claude',
      responseId: 'x',
      createTime: '1970-01-01T00:00:10.000Z',
    })
  })

  it('writes text, calls and reasoning, with the signature of another model as base64', () => {
    const { body, lost } = writeAnswer(
      response({
        blocks: [
          { type: 'reasoning', text: 'hm', signature: { signer: 'claude', value: 'abc' } },
          { type: 'text', text: 'a' },
          { type: 'tool-call', id: 't', name: 'f', arguments: '{"a":1}' },
          { type: 'text', text: '' },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      }),
    )
    expect(body).toMatchObject({
      candidates: [
        {
          content: {
            parts: [
              { text: 'hm', thought: true },
              { text: 'a' },
              { functionCall: { id: 't', name: 'f', args: { a: 1 } } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    })
    const signature = /"thoughtSignature":"([A-Za-z0-9+/=]+)"/.exec(JSON.stringify(body))?.[1] ?? ''
    expect(unseal(signature)).toEqual({ signer: 'claude', value: 'abc' })
    expect(lost).toEqual([])
  })

  it.each([
    [{ reason: 'length' }, 'MAX_TOKENS'],
    [{ reason: 'content-filter', detail: 'why' }, 'SAFETY'],
    [{ reason: 'content-filter', raw: 'RECITATION' }, 'RECITATION'],
    [{ reason: 'stop', raw: 'MALFORMED_FUNCTION_CALL' }, 'MALFORMED_FUNCTION_CALL'],
    [{ reason: 'tool-calls', raw: 'tool_calls' }, 'STOP'],
  ] as const)('ends %j with %s', (finish, word) => {
    expect(writeAnswer(response({ finish })).body).toMatchObject({
      candidates: [{ finishReason: word, ...('detail' in finish && { finishMessage: 'why' }) }],
    })
  })

  it('writes a refusal as text that was filtered', () => {
    expect(writeAnswer(response({ blocks: [{ type: 'refusal', text: 'no' }] })).body).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'no' }] }, finishReason: 'SAFETY' }],
    })
  })

  it('writes usage on the vendor’s base', () => {
    const usage = { input: 120, output: 12, cacheRead: 40, reasoning: 7, audioInput: 3, audioOutput: 2 }
    expect(writeAnswer(response({}, { usage })).body['usageMetadata']).toEqual({
      promptTokenCount: 120,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      totalTokenCount: 132,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 3 }],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
    })
  })

  it('case 235: more reasoning than output leaves no tokens for the candidates', () => {
    expect(
      writeAnswer(response({}, { usage: { input: 1, output: 2, reasoning: 5 } })).body['usageMetadata'],
    ).toMatchObject({
      candidatesTokenCount: 0,
    })
  })

  it('names sources of other formats as grounding, in bytes', () => {
    const text = 'é Rome is old.'
    const blocks: Choice['blocks'] = [
      {
        type: 'text',
        text,
        citations: [
          { url: 'https://a.com', title: 'A', start: 2, end: 14 },
          { url: 'https://a.com', title: 'A' },
          { title: 'no address' },
        ],
        at: 'c',
      },
    ]
    const { body, lost } = writeAnswer(response({ blocks }))
    expect(body).toMatchObject({
      candidates: [
        {
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'https://a.com', title: 'A' } }],
            groundingSupports: [
              { segment: { startIndex: 3, endIndex: 15, text: 'Rome is old.' }, groundingChunkIndices: [0] },
              { segment: { startIndex: 0, endIndex: 15, text }, groundingChunkIndices: [0] },
            ],
          },
        },
      ],
    })
    expect(lost).toEqual(['c.citations'])
  })

  it('declares what has no place', () => {
    const { lost } = writeAnswer(
      response(
        {
          blocks: [
            { type: 'hosted-call', id: 's', name: 'web-search', arguments: '{}', at: 'content[0]' },
            { type: 'tool-call', id: 't', name: 'f', arguments: '{', at: 'content[1]' },
            { type: 'media', kind: 'image', source: { type: 'file', id: 'file_1' }, at: 'content[2]' },
          ],
          finish: { reason: 'stop-sequence', sequence: 'x' },
          extensions: { format: 'messages', fields: { container: {} } },
        },
        { usage: { input: 1, output: 1, cacheWrite: 1 } },
      ),
    )
    expect(lost).toEqual([
      'content[0]',
      'content[1].arguments',
      'content[2]',
      'choices[0].stop_sequence',
      'choices[0].container',
      'usage.cacheWrite',
    ])
  })

  it('loses nothing where nothing was written to a cache', () => {
    expect(writeAnswer({ choices: [], usage: { input: 1, output: 1, cacheWrite: 0 } }).lost).toEqual([])
  })

  it('writes every choice', () => {
    const choices: Choice[] = ['a', 'b'].map((text) => ({
      blocks: [{ type: 'text', text }],
      finish: { reason: 'stop' },
    }))
    expect(writeAnswer({ choices }).body).toMatchObject({
      candidates: [
        { index: 0, content: { parts: [{ text: 'a' }] } },
        { index: 1, content: { parts: [{ text: 'b' }] } },
      ],
    })
  })
})
