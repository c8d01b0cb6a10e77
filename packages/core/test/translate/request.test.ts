import { describe, expect, it } from 'vitest'
import { HeadgateError, type Json, type TranslateRequestOptions, translateRequest } from '../../src/translate.ts'
import { PDF, PNG } from '../support/media.ts'

const chat = (content: unknown, more: Json = {}): Json => ({
  model: 'small',
  messages: [{ role: 'user', content }],
  ...more,
})
const image = (url: string): Json => ({ type: 'image_url', image_url: { url } })

function refusal(body: Json, options: TranslateRequestOptions): HeadgateError {
  try {
    translateRequest(body, options)
  } catch (error) {
    if (HeadgateError.is(error)) return error
    throw error
  }
  return expect.fail('It was translated.')
}

describe('A request is translated', () => {
  it('without half characters, which is declared', () => {
    const { body, lost } = translateRequest(chat('Hi \ud83d'), {
      from: 'chat-completions',
      to: 'messages',
      model: 'claude-haiku-4-5',
    })
    expect(body).toMatchObject({ messages: [{ content: [{ type: 'text', text: 'Hi \ufffd' }] }] })
    expect(lost.map(({ path, kind }) => `${path} ${kind}`)).toEqual(['messages[0].content changed'])
  })

  it('with what it lost, and how, by its own paths', () => {
    const { body, lost, fetch } = translateRequest(chat('Hello', { logit_bias: { 50: 1 }, temperature: 1.5 }), {
      from: 'chat-completions',
      to: 'messages',
      model: 'claude-haiku-4-5',
    })
    const content = [{ type: 'text', text: 'Hello' }]
    expect(body).toMatchObject({ model: 'claude-haiku-4-5', messages: [{ role: 'user', content }], temperature: 1 })
    expect(lost.map(({ path, kind }) => `${path} ${kind}`).sort()).toEqual([
      'logit_bias dropped',
      'temperature changed',
    ])
    expect(fetch).toEqual([])
  })

  it('for another model than the one that it names', () => {
    const options = {
      from: 'chat-completions',
      to: 'messages',
      model: 'claude-haiku-4-5',
      limits: { id: 'x', output: 123 },
    } as const
    expect(translateRequest(chat('Hello'), options).body).toMatchObject({ model: 'claude-haiku-4-5', max_tokens: 123 })
  })

  it('from and to the format that names the model in its path', () => {
    const asked = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
    const options = { from: 'generate-content', to: 'chat-completions', model: 'small', stream: true } as const
    expect(translateRequest(asked, options).body).toMatchObject({
      model: 'small',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    })
    expect(translateRequest(chat('Hello'), { from: 'chat-completions', to: 'generate-content' }).body).toEqual(asked)
    expect(refusal(asked, { from: 'generate-content', to: 'messages' }).param).toBe('model')
  })

  it('unless it would lose what strict forbids: hints may go, unless it is all', () => {
    const to = { from: 'chat-completions', to: 'messages' } as const
    const lossy = chat('Hello', { logit_bias: { 50: 1 }, seed: 1 })
    const error = refusal(lossy, { ...to, strict: true })
    expect([error.status, error.param]).toEqual([400, 'logit_bias'])
    expect(error.message).toMatch(
      /^messages does not support all fields of the request, and the option `strict` forbids losses: logit_bias \(dropped: /,
    )
    expect(translateRequest(chat('Hello', { seed: 1 }), { ...to, strict: true }).lost).toHaveLength(1)
    expect(refusal(chat('Hello', { seed: 1 }), { ...to, strict: 'all' }).param).toBe('seed')
  })

  it('unless it is wrong, or the model is known not to take it', () => {
    const to = { from: 'chat-completions', to: 'messages' } as const
    expect(refusal({ model: 'small' }, to).param).toBe('messages')
    const blind = { ...to, limits: { id: 'small', inputs: ['text'] } } as const
    expect(refusal(chat([image('https://example.com/a.png')]), blind).message).toContain('does not support image input')
  })
})

describe('Media by URL', () => {
  const URLS = ['https://example.com/a.png', 'https://example.com/b.pdf'] as const
  const body = chat([
    { type: 'text', text: 'What?' },
    image(URLS[0]),
    { type: 'file', file: { file_data: URLS[1] } },
    image(URLS[0]),
  ])
  const to = { from: 'chat-completions', to: 'generate-content' } as const

  it('are listed once each where the provider takes none, and nothing is to be sent until they are there', () => {
    expect(translateRequest(body, to)).toEqual({
      body: undefined,
      lost: [],
      fetch: [
        { path: 'messages[0].content[1].image_url', url: URLS[0] },
        { path: 'messages[0].content[2].file.file_data', url: URLS[1] },
      ],
    })
  })

  it('are inlined when they are given, as bytes or as base64', () => {
    const withMedia = {
      [URLS[0]]: { data: new Uint8Array(PNG) },
      [URLS[1]]: { data: PDF.toString('base64url'), mime: 'application/pdf' },
    }
    const { body: written, fetch } = translateRequest(body, { ...to, withMedia })
    const png = { inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } }
    const pdf = { inlineData: { mimeType: 'application/pdf', data: PDF.toString('base64') } }
    expect(fetch).toEqual([])
    expect(written).toEqual({ contents: [{ role: 'user', parts: [{ text: 'What?' }, png, pdf, png] }] })
  })

  it('are still listed while some are missing', () => {
    const withMedia = { [URLS[0]]: { data: new Uint8Array(PNG) } }
    const { body: written, fetch } = translateRequest(body, { ...to, withMedia })
    expect([written, fetch.map(({ url }) => url)]).toEqual([undefined, [URLS[1]]])
  })

  it('must be base64 where they are text', () => {
    expect(refusal(body, { ...to, withMedia: { [URLS[0]]: { data: '<html>' } } }).message).toContain(
      `\`withMedia\` has invalid base64 for ${URLS[0]}`,
    )
  })

  it('pass where the provider takes them', () => {
    const options = { ...to, facts: { imageUrls: true } }
    const { body: written, fetch } = translateRequest(chat([image(URLS[0])]), options)
    expect([JSON.stringify(written), fetch]).toEqual([expect.stringContaining(`"fileUri":"${URLS[0]}"`), []])
  })
})
