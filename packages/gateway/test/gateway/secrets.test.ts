import { describe, expect, it } from 'vitest'
import { readFrames } from '../../../core/src/formats/sse.ts'
import { chatProvider, messagesProvider, SECRET, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const body = { model: 'small', messages: [{ role: 'user', content: 'x' }] }
const claude = { ...body, max_tokens: 5 }

/** Of the credential as much as whoever guesses the rest needs. */
const PART = SECRET.slice(0, 12)

/** A message in which the credential stands across the place `at`. */
const across = (at: number): string => `${'no '.repeat(at / 3).slice(0, at - 20)} ${SECRET} is not allowed`
const ERROR_LENGTHS = [500, 2000, 10_000, 65_536]

const chunk = (content: string): string =>
  `data: {"id":"1","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`

describe("A provider's key does not reach a caller", () => {
  it.each(ERROR_LENGTHS)('from a message that is cut where it stands: %s characters', async (at) => {
    const answer = (call: UpstreamCall): void =>
      call.path.endsWith('/html/chat/completions')
        ? call.answer(400, `<html><body>${across(at)}</body></html>`)
        : call.answer(400, { error: { message: across(at) } })
    const upstream = await startUpstream(answer)
    const { post, access } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url),
        messagesProvider(upstream.url, { name: 'beta' }),
        chatProvider(`${upstream.url}/html`, { name: 'page' }),
      ],
    })
    for (const stream of [false, true]) {
      for (const vendor of ['alpha', 'beta', 'page']) {
        for (const [path, sent] of [
          ['/v1/chat/completions', body],
          ['/v1/messages', claude],
        ] as const) {
          const response = await post(path, { ...sent, stream }, { headers: { vendor } })
          const text = await response.text()
          expect(response.status).toBe(400)
          expect(text).not.toContain(PART)
          expect(text).toContain('no no no')
          expect(JSON.stringify(await access.next())).not.toContain(PART)
        }
      }
    }
  })

  it('from an error within a stream, whose frame stays JSON', async () => {
    const upstream = await startUpstream((call) =>
      call.stream([chunk('a'), `data: {"error":{"message":"${across(2000)}","hint":"Bearer ${SECRET}","n":{}}}\n\n`]),
    )
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)] })
    const passed = await (await post('/v1/chat/completions', { ...body, stream: true })).text()
    const translated = await (await post('/v1/messages', { ...claude, stream: true })).text()
    for (const text of [passed, translated]) {
      expect(text).not.toContain(PART)
      expect(
        readFrames(text).map(({ data }) => data.startsWith('[DONE]') || (JSON.parse(data) as unknown)),
      ).not.toHaveLength(0)
      expect(text).toContain('[redacted]')
    }
  })

  it('from the end of an answer that holds nothing else, or a content type', async () => {
    const finishMessage = across(2000)
    const upstream = await startUpstream((call) =>
      call.path.startsWith('/v1/odd')
        ? call.answer(200, 'x', { 'content-type': `text/${'x'.repeat(70)}${SECRET}` })
        : call.answer(200, { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }] }),
    )
    const { post } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, { chat: [{ format: 'generate-content', path: () => '/generate' }] }),
        chatProvider(`${upstream.url}/odd`, { name: 'odd' }),
      ],
    })
    for (const [vendor, stream] of [
      ['alpha', false],
      ['odd', true],
    ] as const) {
      const response = await post(
        '/v1/chat/completions',
        { ...body, stream },
        { headers: { vendor, 'headgate-timeout-ms': '1500' } },
      )
      const text = await response.text()
      expect(text).not.toContain(PART)
      expect([response.status, JSON.parse(text)]).toMatchObject([500, { error: {} }])
    }
  })
})
