import { describe, expect, it } from 'vitest'
import { CHAT } from '../../../core/test/support/wire.ts'
import { startGateway } from '../support/gateway.ts'
import {
  GENERATE,
  generateAnswer,
  generateProvider,
  INLINE_PNG,
  image,
  partsOf,
  say,
  startFiles,
} from '../support/linked-media.ts'
import { startUpstream } from '../support/upstream.ts'

describe('An image or PDF by URL to generateContent', () => {
  it('passes untouched in generateContent where nothing is known of it, and is fetched for callers of other formats', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post, rows } = await startGateway('node', { providers: [generateProvider(upstream.url, {})], ...options })
    const body = JSON.stringify({
      contents: [{ parts: [{ text: 'What?' }, { fileData: { fileUri: `${files.origin}/a.png` } }] }],
    })
    expect((await post(GENERATE, body)).status).toBe(200)
    expect([upstream.calls[0]?.body.toString(), files.calls.length]).toEqual([body, 0])
    await post(CHAT, say(image(`${files.origin}/a.png`)))
    expect([partsOf(upstream.calls[1])[1], files.calls.length]).toEqual([{ inlineData: INLINE_PNG }, 1])
    expect(rows.map(({ translated }) => translated)).toEqual([false, true])
  })

  it('is passed on to generateContent where the model is known to take it, and fetched where its type can not be told', async () => {
    const { files, options } = await startFiles()
    const upstream = await startUpstream((call) => call.answer(200, generateAnswer))
    const { post } = await startGateway('node', {
      providers: [generateProvider(upstream.url, { imageUrls: true })],
      ...options,
    })
    const pdf = { type: 'file', file: { file_data: 'https://example.com/b.pdf?sig=1' } }
    await post(CHAT, say(image('https://example.com/a.png'), pdf, image(`${files.origin}/a.png`)))
    expect(partsOf(upstream.calls[0]).slice(1)).toEqual([
      { fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } },
      { fileData: { fileUri: 'https://example.com/b.pdf?sig=1', mimeType: 'application/pdf' } },
      { inlineData: INLINE_PNG },
    ])
  })
})
