import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { translateStream } from '../../src/translate.ts'
import { A, answer, CLAUDE, G, GEMINI, GPT, O, send } from './way.ts'

const hello = { role: 'user', content: 'Hello' }
const asked = (...content: Json[]): Json => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] })
const said = (content: Json[], fields: Json = {}): Json => ({
  id: 'x',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  ...fields,
})

async function* once(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield new TextEncoder().encode(text)
}

async function streamed(frames: readonly (Json | string)[]): Promise<string> {
  const text = frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('')
  let out = ''
  for await (const chunk of translateStream(once(text), { from: O, to: A })) out += new TextDecoder().decode(chunk)
  return out
}

describe('Requests all the way', () => {
  it('case 86: a property that is required must be declared, where the model takes no JSON Schema', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'gone'] }
    const body = { model: 'm', messages: [hello], tools: [{ type: 'function', function: { name: 'f', parameters } }] }
    expect(send(O, G, body, { model: 'gemini-1.5-pro' }).body['tools']).toMatchObject([
      { functionDeclarations: [{ parameters: { required: ['a'] } }] },
    ])
  })

  it('case 95: JSON of any shape is asked for in words, without a tool', () => {
    const { body } = send(O, A, { model: 'm', messages: [hello], response_format: { type: 'json_object' } }, CLAUDE)
    expect(body).not.toHaveProperty('tools')
    expect(JSON.stringify(body['system'])).toMatch(/JSON/)
  })

  it('case 130: a system prompt alone is refused, or answered, and never a conversation without turns', () => {
    const body = { model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] }
    for (const to of [A, G])
      expect(() => send(O, to, body, to === A ? CLAUDE : GEMINI)).toThrow(expect.objectContaining({ status: 400 }))
  })

  it('case 149: a data URL may have parameters', () => {
    const url = `data:image/png;charset=utf-8;base64,${btoa('\x89PNG\r\n\x1a\n')}`
    const { body } = send(O, A, asked({ type: 'image_url', image_url: { url } }), CLAUDE)
    expect(body['messages']).toMatchObject([
      {
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: btoa('\x89PNG\r\n\x1a\n') } },
        ],
      },
    ])
  })

  it.each([
    'https://generativelanguage.googleapis.com/v1beta/files/abc',
    'https://www.youtube.com/watch?v=abc',
    'gs://bucket/a.mp4',
  ])('case 158: what Google keeps itself is passed on: %s', (fileUri) => {
    const body = { contents: [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'video/mp4' } }] }] }
    expect(send(G, G, body, GEMINI).body['contents']).toMatchObject([
      { parts: [{ fileData: { fileUri, mimeType: 'video/mp4' } }] },
    ])
  })

  it('cases 166 and 168: a document has a file name in chat completions: its title, or one that we give', () => {
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: btoa('%PDF-1.7') },
    }
    const nameOf = (block: Json) => {
      const [turn] = send(A, O, asked(block), GPT).body['messages'] as { content: { file: { filename: string } }[] }[]
      return turn?.content[0]?.file.filename
    }
    expect([nameOf(document), nameOf({ ...document, title: 'Report.pdf' })]).toEqual(['document.pdf', 'Report.pdf'])
  })
})

describe('Answers all the way', () => {
  it('case 204: an end of an unknown name is an end', () => {
    const body = said([{ type: 'text', text: 'Hi' }], { stop_reason: 'compaction' })
    expect(answer(A, O, body)['choices']).toMatchObject([{ finish_reason: 'stop', message: { content: 'Hi' } }])
    expect(answer(A, G, body)['candidates']).toMatchObject([{ finishReason: 'STOP' }])
  })

  it('case 222: offsets of citations in bytes become offsets in characters', () => {
    const text = 'é is cited.'
    const bytes = Buffer.byteLength('é is')
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
      groundingSupports: [
        { segment: { startIndex: Buffer.byteLength('é '), endIndex: bytes, text: 'is' }, groundingChunkIndices: [0] },
      ],
    }
    const body = {
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', groundingMetadata }],
    }
    expect(answer(G, O, body)['choices']).toMatchObject([
      { message: { annotations: [{ url_citation: { url: 'https://a.test', start_index: 2, end_index: 4 } }] } },
    ])
  })

  it('case 230: tokens of thoughts are tokens of reasoning', () => {
    const usage = { input_tokens: 5, output_tokens: 30, output_tokens_details: { thinking_tokens: 20 } }
    expect(
      answer(A, O, said([{ type: 'text', text: 'Hi' }], { stop_reason: 'end_turn', usage }))['usage'],
    ).toMatchObject({
      completion_tokens: 30,
      completion_tokens_details: { reasoning_tokens: 20 },
    })
  })

  it('case 233: totals are right where a format does not tell kinds apart', () => {
    const usageMetadata = {
      promptTokenCount: 300,
      candidatesTokenCount: 20,
      totalTokenCount: 320,
      promptTokensDetails: [{ modality: 'IMAGE', tokenCount: 258 }],
    }
    const body = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata,
    }
    expect(answer(G, A, body)['usage']).toMatchObject({ input_tokens: 300, output_tokens: 20 })
  })

  it('case 267: a stream is complete with its end or with [DONE], and cut with neither', async () => {
    const chunk = (delta: Json, finish_reason: string | null): Json => ({
      id: 'x',
      choices: [{ index: 0, delta, finish_reason }],
    })
    const whole = await streamed([chunk({ role: 'assistant', content: 'Hi' }, null), chunk({}, 'stop')])
    expect([whole.includes('"end_turn"'), whole.includes('message_stop'), whole.includes('"error"')]).toEqual([
      true,
      true,
      false,
    ])
    const [done, cut] = [
      await streamed([chunk({ content: 'Hi' }, null), '[DONE]']),
      await streamed([chunk({ content: 'Hi' }, null)]),
    ]
    expect([done.includes('"end_turn"'), done.includes('"error"')]).toEqual([true, false])
    expect([cut.includes('"end_turn"'), cut.includes('"error"')]).toEqual([false, true])
  })
})
