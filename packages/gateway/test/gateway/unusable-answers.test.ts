import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatRequest,
  MESSAGES,
  messagesAnswer,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const GENERATE = '/v1beta/models/small:generateContent'
const generateRequest = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

function generateProvider(baseUrl: string, changes: Partial<ProviderInstance> = {}): ProviderInstance {
  return chatProvider(baseUrl, {
    chat: [{ format: 'generate-content', path: () => '/small:generateContent' }],
    ...changes,
  })
}

const PROVIDERS = {
  'chat-completions': chatProvider,
  messages: messagesProvider,
  'generate-content': generateProvider,
} as const
type FormatId = keyof typeof PROVIDERS

const CALLERS: readonly (readonly [FormatId, string, object])[] = [
  ['chat-completions', CHAT, chatRequest],
  ['messages', MESSAGES, messagesRequest],
  ['generate-content', GENERATE, generateRequest],
]

/** Error bodies by the caller's format. */
const FAILURES: Readonly<Record<FormatId, object>> = {
  'chat-completions': { error: { type: 'server_error' } },
  messages: { type: 'error', error: { type: 'api_error' } },
  'generate-content': { error: { code: 500, status: 'INTERNAL' } },
}

const NOTHING: readonly string[] = ['{}', '[]', 'null', '""', '', '{"hello":1}', '<html>Hello</html>']

/** What each format has as an answer without having anything in it. */
const HOLLOW: Readonly<Record<FormatId, readonly string[]>> = {
  'chat-completions': [
    '{"choices":null}',
    '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}}',
  ],
  messages: ['{"content":null}', '{"type":"message","role":"assistant"}'],
  'generate-content': ['{"candidates":[]}', '{"usageMetadata":{"promptTokenCount":1},"modelVersion":"small"}'],
}

const PAIRS = (Object.keys(PROVIDERS) as FormatId[]).flatMap((from) =>
  CALLERS.map(([to, path, request]) => ({ from, to, path, request })),
)

describe('Behind a gateway', () => {
  describe.each(PAIRS)('a 200 of a $from provider to a $to caller', ({ from, to, path, request }) => {
    it.each([...NOTHING, ...HOLLOW[from]])('that says %s is no answer: another provider is asked', async (body) => {
      const broken = await startUpstream((call) => call.answer(200, body, { 'content-type': 'application/json' }))
      const whole = await startUpstream((call) => call.answer(200, chatAnswer()))
      const { post, rows } = await startGateway('node', {
        providers: [PROVIDERS[from](broken.url), chatProvider(whole.url, { name: 'beta' })],
      })
      const response = await post(path, request)
      expect([response.status, response.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
      expect(JSON.stringify(await response.json())).toContain('Hi there')
      expect(rows[0]?.attempts).toMatchObject([
        { provider: 'alpha', status: 200, failure: 'upstream' },
        { provider: 'beta' },
      ])
    })

    it('that is nested 100,000 levels deep is no answer either', async () => {
      const answers = {
        'chat-completions': chatAnswer(),
        messages: messagesAnswer(),
        'generate-content': { candidates: [{}] },
      }
      const deep = JSON.stringify({ ...answers[from], unknown: '@' }).replace(
        '"@"',
        '['.repeat(100_000) + ']'.repeat(100_000),
      )
      const broken = await startUpstream((call) => call.answer(200, deep, { 'content-type': 'application/json' }))
      const { post, rows } = await startGateway('node', { providers: [PROVIDERS[from](broken.url)] })
      const response = await post(path, request)
      expect([response.status, await response.json()]).toMatchObject([500, FAILURES[to]])
      expect(rows).toMatchObject([{ why: 'failed', failure: 'upstream' }])
    })

    it('that says nothing, ever, is asked for again, and then is the caller’s 500', async () => {
      const broken = await startUpstream((call) => call.answer(200, {}))
      const { post, rows } = await startGateway('node', { providers: [PROVIDERS[from](broken.url)] })
      const response = await post(path, request)
      expect([response.status, response.headers.get('x-should-retry'), await response.json()]).toMatchObject([
        500,
        'false',
        FAILURES[to],
      ])
      expect(broken.calls).toHaveLength(4)
      expect(rows).toMatchObject([{ status: 500, why: 'failed', billed: false, failure: 'upstream' }])
    })
  })

  it.each<[string, FormatId, object]>([
    [
      'only says why there is nothing',
      'generate-content',
      { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } },
    ],
    ['has an empty list of content', 'messages', { ...messagesAnswer(), content: [] }],
    ['has null for an empty list of content', 'messages', { ...messagesAnswer(), content: null }],
    [
      'has a choice without content',
      'chat-completions',
      { choices: [{ index: 0, message: {}, finish_reason: 'stop' }] },
    ],
  ])('an answer that %s passes as it is', async (_, format, answer) => {
    const upstream = await startUpstream((call) => call.answer(200, answer))
    const { post } = await startGateway('node', { providers: [PROVIDERS[format](upstream.url)] })
    const [, path = '', request] = CALLERS.find(([id]) => id === format) ?? []
    const response = await post(path, request)
    expect([response.status, await response.text()]).toEqual([200, JSON.stringify(answer)])
    expect(upstream.calls).toHaveLength(1)
  })
})
