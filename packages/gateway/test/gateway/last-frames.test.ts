import { describe, expect, it } from 'vitest'
import type { ChatSupport } from '../../../core/src/provider.ts'
import {
  CHAT,
  chatChunk,
  chatRequest,
  dataOf,
  MESSAGES,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/**
 * Streams whose last frame has all that is left to say, written from the vendors' documentation.
 *
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
 */
const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"last"}' } }
const geminiFrame = (part: unknown, more: Record<string, unknown> = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...more }], modelVersion: 'small-1' })}\r\n\r\n`
const UPSTREAMS = {
  'chat completions': [
    chatChunk({ role: 'assistant', content: 'first' }),
    chatChunk({ content: ' last', tool_calls: [call] }, {}, 'tool_calls'),
  ],
  generateContent: [
    geminiFrame({ text: 'first' }),
    geminiFrame({ text: ' last' }, { finishReason: 'STOP' }).replace(
      '[{"text":" last"}]',
      '[{"text":" last"},{"functionCall":{"name":"look","args":{"at":"last"}}}]',
    ),
  ],
} as const
type Speaks = keyof typeof UPSTREAMS

const SUPPORTS: Readonly<Record<Speaks, ChatSupport>> = {
  'chat completions': { format: 'chat-completions', path: () => '/chat/completions' },
  generateContent: { format: 'generate-content', path: () => '/models/small:streamGenerateContent?alt=sse' },
}

const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const GENERATE = '/v1beta/models/small:streamGenerateContent'
const CALLERS: readonly (readonly [string, string, unknown])[] = [
  ['chat completions', CHAT, { ...chatRequest, stream: true }],
  ['messages', MESSAGES, { ...messagesRequest, stream: true }],
  ['generateContent', `${GENERATE}?alt=sse`, contents],
  ['generateContent as a JSON array', GENERATE, contents],
]

/** Everything that an answer says, in whatever shape. */
function said(text: string): string {
  const values = text.startsWith('[') ? (JSON.parse(text) as unknown[]) : dataOf(text)
  return JSON.stringify(values).replaceAll('\\', '')
}

/** Frames as a client reads them, which a last one without its blank line never reaches. */
function clientSees(text: string): string {
  return text.startsWith('[')
    ? text
    : text.slice(0, Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\n\r\n')) + 1)
}

describe('A stream whose last frame lacks its blank line', () => {
  const start = async (support: ChatSupport, handler: (call: UpstreamCall) => unknown) => {
    const upstream = await startUpstream(handler)
    return startGateway('node', { providers: [chatProvider(upstream.url, { chat: [support] })] })
  }

  describe.each(Object.keys(UPSTREAMS) as Speaks[])('of %s', (speaks) => {
    describe.each(CALLERS)('for a caller of %s', (_, path, body) => {
      it('arrives whole, text and call', async () => {
        const { post, rows } = await start(SUPPORTS[speaks], (one) => one.stream(UPSTREAMS[speaks].join('').trimEnd()))
        const text = clientSees(await (await post(path, body)).text())
        expect(said(text)).toContain('first')
        expect(said(text)).toContain(' last')
        expect(said(text)).toContain('"look"')
        expect(said(text)).toMatch(/"at":\s*"last"/)
        expect(rows).toMatchObject([{ status: 200, why: 'usage-unknown', finish: 'tool-calls' }])
      })
      it('arrives whole, or is told to be cut, when the connection then breaks', async () => {
        const { post, rows } = await start(SUPPORTS[speaks], async (one) => {
          one.head(200, { 'content-type': 'text/event-stream' })
          await one.write(UPSTREAMS[speaks].join('').trimEnd())
          one.cut()
        })
        const text = clientSees(await (await post(path, body)).text())
        const isTold = said(text).includes('The connection to the provider broke')
        expect(said(text).includes(' last')).toBe(!isTold)
        expect(rows).toMatchObject([
          isTold
            ? { why: 'cut', failure: 'upstream' }
            : { why: 'price-unknown', estimated: true, finish: 'tool-calls' },
        ])
      })
    })
  })

  it('of JSON lines arrives whole', async () => {
    const lines = UPSTREAMS['chat completions'].map((frame) => frame.slice(6, -1)).join('')
    const { post } = await start({ ...SUPPORTS['chat completions'], framing: 'ndjson' }, (one) =>
      one.stream(lines.trimEnd(), { 'content-type': 'application/x-ndjson' }),
    )
    for (const [, path, body] of CALLERS) {
      const text = clientSees(await (await post(path, body)).text())
      expect(said(text)).toContain(' last')
      expect(said(text)).toContain('"look"')
    }
  })

  it.each(CALLERS)('and is half a frame is told of behind whole frames, to a caller of %s', async (_, path, body) => {
    const [first, last] = UPSTREAMS.generateContent
    const { post, rows } = await start(SUPPORTS.generateContent, (one) => one.stream(first + last.slice(0, -12)))
    const text = await (await post(path, body)).text()
    expect(said(text)).toContain('first')
    expect(said(text)).not.toContain(' last')
    expect(said(text)).toMatch(
      /alpha ended its stream before it was complete|ended the stream before the answer was complete/,
    )
    expect(rows).toMatchObject([{ why: 'cut', failure: 'upstream' }])
  })

  it('of messages ends for the client too', async () => {
    const upstream = await startUpstream((one) => one.stream(messagesFrames().join('').trimEnd()))
    const { post } = await startGateway('node', { providers: [messagesProvider(upstream.url)] })
    const text = await (await post(MESSAGES, { ...messagesRequest, stream: true })).text()
    expect(dataOf(clientSees(text)).at(-1)).toEqual({ type: 'message_stop' })
  })
})
