import { describe, expect, it } from 'vitest'
import { translateRequest } from '../../../core/src/translate.ts'
import { PDF, PNG } from '../../../core/test/support/media.ts'
import { CHAT, chatAnswer, MESSAGES, messagesAnswer, messagesRequest } from '../../../core/test/support/wire.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const png = PNG.toString('base64')
const pdf = PDF.toString('base64')
const image = (mime: string, data: string) => ({ type: 'image_url', image_url: { url: `data:${mime};base64,${data}` } })
const chat = (...content: unknown[]) => ({
  model: 'small',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, ...content] }],
})

describe('Media that are declared to be what they are not', () => {
  it('go to a provider of another format as what their first bytes say, which is declared', async () => {
    const upstream = await startUpstream((call) => call.answer(200, messagesAnswer()))
    const { post, rows } = await startGateway('node', { providers: [messagesProvider(upstream.url)] })
    const request = chat(
      image('image/jpeg', png),
      image('image/png', pdf),
      image('image/png', png),
      image('image/png', 'QUJDRA=='),
    )
    const response = await post(CHAT, { ...request, max_tokens: 9 })
    expect(response.headers.get('headgate-lost')).toBe('messages[*].content[*];changed')
    expect(upstream.calls[0]?.json()['messages']).toMatchObject([
      {
        content: [
          { type: 'text' },
          { type: 'image', source: { media_type: 'image/png', data: png } },
          { type: 'document', source: { media_type: 'application/pdf', data: pdf } },
          { type: 'image', source: { media_type: 'image/png', data: png } },
          { type: 'image', source: { media_type: 'image/png', data: 'QUJDRA==' } },
        ],
      },
    ])
    expect(rows[0]?.losses.map(({ path, kind }) => [path, kind])).toEqual([
      ['messages[0].content[1]', 'changed'],
      ['messages[0].content[2]', 'changed'],
    ])
  })

  it('within the result of a tool as well', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post, rows } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const source = { type: 'base64', media_type: 'image/webp', data: png }
    const messages = [
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'image', source }] }] },
    ]
    await post(MESSAGES, { ...messagesRequest, messages })
    expect(upstream.calls[0]?.body.toString()).toContain(`data:image/png;base64,${png}`)
    expect(rows[0]?.losses).toContainEqual(
      expect.objectContaining({ path: 'messages[2].content[0].content[0]', kind: 'changed' }),
    )
  })

  it('pass as they are to a provider of their own format', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const request = chat(image('image/jpeg', png))
    const response = await post(CHAT, request)
    expect([response.headers.get('headgate-lost'), upstream.calls[0]?.json()]).toEqual([null, request])
  })
})

describe('The library, of media that are declared to be what they are not', () => {
  it('does the same', () => {
    const { body, lost } = translateRequest(chat(image('image/jpeg', png)), {
      from: 'chat-completions',
      to: 'generate-content',
      model: 'small',
    })
    expect(JSON.stringify(body)).toContain('"mimeType":"image/png"')
    expect(lost).toMatchObject([{ path: 'messages[0].content[1]', kind: 'changed' }])
  })
})
