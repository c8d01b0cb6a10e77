import { describe, expect, it } from 'vitest'
import { type FinalRequest, signed } from '../../../core/src/provider.ts'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  chatText,
  DONE,
  MESSAGES,
  messagesAnswer,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { HeadgateError, type ProviderInstance } from '../../src/index.ts'
import { good, startOne, startSupport } from '../support/fleet.ts'
import { chatProvider, SECRET, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }

describe('An adapter', () => {
  describe('is known to its upstream', () => {
    it('by a parameter of the query, which nobody else gets to see', async () => {
      const failing = (call: UpstreamCall) => call.answer(400, { error: { message: `Bad request to ${call.path}` } })
      const { post, upstream, access } = await startOne(
        'node',
        () => ({ credential: { kind: 'query', name: 'key', value: 'q&secret' } }),
        failing,
      )
      const text = await (await post(CHAT, chatRequest)).text()
      expect(upstream.calls[0]?.path).toBe('/v1/chat/completions?key=q%26secret')
      expect(text + JSON.stringify(await access.next())).not.toContain('secret')
    })

    it('by nothing at all', async () => {
      const { post, upstream } = await startOne('node', () => ({ credential: { kind: 'none' } }))
      await post(CHAT, chatRequest)
      expect(upstream.calls[0]?.headers).not.toHaveProperty('authorization')
    })

    it('by a signature over the final bytes', async () => {
      const seen: FinalRequest[] = []
      const { post, upstream } = await startOne('node', (url) => ({
        baseUrl: `${url}/`,
        credential: signed({
          sign(request) {
            seen.push(request)
            return { 'X-Signed': String(request.body.length) }
          },
        }),
        chat: [{ format: 'chat-completions', path: () => '/chat?v=1', drop: ['user'] }],
      }))
      expect((await post(CHAT, { ...chatRequest, user: 'u' })).status).toBe(200)
      const [call] = upstream.calls
      expect([call?.path, call?.headers['x-signed'], seen[0]?.url.href]).toEqual([
        '/v1/chat?v=1',
        String(call?.body.length),
        `${upstream.url}/chat?v=1`,
      ])
      expect(call?.json()).toEqual(chatRequest)
    })

    it('by a signature for every request, which a 401 does not make again where nothing is leased', async () => {
      let signatures = 0
      const credential = signed({ sign: () => ({ authorization: `signature ${++signatures} of the request` }) })
      const { post, upstream } = await startOne(
        'node',
        () => ({ credential }),
        (call) => call.answer(401, 'no'),
      )
      expect((await post(CHAT, chatRequest)).status).toBe(500)
      await post(CHAT, chatRequest)
      expect(upstream.calls.map(({ headers }) => headers.authorization)).toEqual([
        'signature 1 of the request',
        'signature 2 of the request',
      ])
    })

    it('not where it can not be signed; then another may serve', async () => {
      const credential = signed({
        sign() {
          throw new Error('key: secret down')
        },
      })
      const { post, upstream } = await startOne('node', () => ({ credential }))
      const response = await post(CHAT, chatRequest)
      const text = await response.text()
      expect([response.status, text.includes('secret down')]).toEqual([500, false])
      expect(text).toContain('alpha: The request could not be signed.')
      expect(upstream.calls).toHaveLength(0)

      const other = await startUpstream(good)
      const both = await startGateway('node', {
        providers: [chatProvider(upstream.url, { credential }), chatProvider(other.url, { name: 'beta' })],
      })
      expect((await both.post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('beta')
    })
  })

  describe('that deviates', () => {
    it('leaves out and renames fields, and declares what it leaves out', async () => {
      const { post, upstream } = await startSupport('node', {
        drop: ['logit_bias'],
        rename: { max_completion_tokens: 'max_tokens' },
      })
      const response = await post(CHAT, {
        ...chatRequest,
        max_completion_tokens: 9,
        logit_bias: {},
        constructor: 1,
        __proto__: 2,
      })
      expect(upstream.calls[0]?.json()).toEqual({ ...chatRequest, max_tokens: 9, constructor: 1 })
      expect(response.headers.get('headgate-lost')).toBe('logit_bias')
      await post(CHAT, { ...chatRequest, max_tokens: 1, max_completion_tokens: 9 })
      expect(upstream.calls[1]?.json()).toEqual({ ...chatRequest, max_tokens: 1 })
    })

    it.each(['max_tokens', 'max_completion_tokens'])(
      'has one word of its own for the output limit, whichever name it gives that for: %s',
      async (field) => {
        const { post, upstream } = await startSupport('node', { rename: { [field]: 'max_new_tokens' } })
        const sent = async (limits: object) => {
          const response = await post(CHAT, { ...chatRequest, ...limits })
          const { model, messages, ...rest } = upstream.calls.at(-1)?.json() ?? {}
          return [rest, response.headers.get('headgate-lost')]
        }
        expect(await sent({ max_tokens: 1 })).toEqual([{ max_new_tokens: 1 }, null])
        expect(await sent({ max_completion_tokens: 2 })).toEqual([{ max_new_tokens: 2 }, null])
        expect(await sent({ max_completion_tokens: 2, max_tokens: 1 })).toEqual([{ max_new_tokens: 2 }, 'max_tokens'])
        expect(await sent({ max_tokens: 1, max_completion_tokens: 2 })).toEqual([{ max_new_tokens: 2 }, 'max_tokens'])
        await post(MESSAGES, { ...messagesRequest, max_tokens: 3 })
        expect(upstream.calls.at(-1)?.json()).toMatchObject({ max_new_tokens: 3 })
      },
    )

    it('may take the limit by the other name alone', async () => {
      const { post, upstream } = await startSupport('node', { rename: { max_tokens: 'max_completion_tokens' } })
      await post(CHAT, { ...chatRequest, max_tokens: 1 })
      await post(CHAT, { ...chatRequest, max_completion_tokens: 2 })
      expect(upstream.calls.map((call) => call.json()['max_completion_tokens'])).toEqual([1, 2])
    })

    it('declares in the caller’s own words what it leaves out of a translated request, and nothing that the caller did not ask for', async () => {
      const drop = ['stop', 'reasoning_effort', 'parallel_tool_calls', 'max_completion_tokens', 'logit_bias']
      const { post, upstream } = await startSupport('node', { drop, facts: { maxTokens: 'max_completion_tokens' } })
      const tools = [{ name: 'f', input_schema: { type: 'object' } }]
      const inMessages = await post(MESSAGES, {
        ...messagesRequest,
        stop_sequences: ['.'],
        thinking: { type: 'enabled', budget_tokens: 2048 },
        tools,
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      })
      const lost = (response: Response) => response.headers.get('headgate-lost')?.split(', ').sort()
      expect([inMessages.status, Object.keys(upstream.calls[0]?.json() ?? {}).sort()]).toEqual([
        200,
        ['messages', 'model', 'tool_choice', 'tools'],
      ])
      expect(lost(inMessages)?.filter((path) => !path.endsWith(';changed'))).toEqual([
        'max_tokens',
        'stop_sequences',
        'thinking',
        'tool_choice.disable_parallel_tool_use',
      ])
      const inGenerate = await post('/v1beta/models/small:generateContent', {
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        generation_config: { stop_sequences: ['.'], temperature: 0.5 },
      })
      expect([inGenerate.status, lost(inGenerate)]).toEqual([200, ['generation_config.stop_sequences']])
      const plain = await post(MESSAGES, messagesRequest)
      expect(lost(plain)).toEqual(['max_tokens'])
    })

    it('declares the fields of a group that it leaves out, each by the caller’s name', async () => {
      const { post, upstream } = await startOne(
        'node',
        () => ({
          chat: [{ format: 'generate-content', path: () => '/x:generateContent', drop: ['generationConfig'] }],
        }),
        (call) => call.answer(200, { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }),
      )
      const response = await post(CHAT, { ...chatRequest, temperature: 0.5, max_completion_tokens: 9 })
      expect(response.headers.get('headgate-lost')?.split(', ').sort()).toEqual([
        'max_completion_tokens',
        'temperature',
      ])
      expect(Object.keys(upstream.calls[0]?.json() ?? {})).toEqual(['contents'])
    })

    it('patches the request as it sees fit, and the answer still passes as it is', async () => {
      const answer = JSON.stringify(chatAnswer(), null, 3)
      const { post, upstream } = await startSupport(
        'node',
        {
          forward: ['x-trace'],
          patchRequest: (body, call) => ({ ...body, extra: [call.model, call.stream, call.headers['x-trace']] }),
        },
        (call) => call.answer(200, answer, { 'content-type': 'application/json' }),
      )
      expect(
        await (await post(CHAT, { ...chatRequest, model: 'alpha/other' }, { headers: { 'x-trace': 't-1' } })).text(),
      ).toBe(answer)
      expect(upstream.calls[0]?.json()).toEqual({ ...chatRequest, model: 'other', extra: ['other', false, 't-1'] })
    })

    it('patches answers and chunks', async () => {
      const { post, rows } = await startSupport(
        'node',
        {
          patchResponse: (body) => ({ ...body, patched: true }),
          patchFrame: ({ json: { choices, ...chunk } }) => ({ ...chunk, choices: choices ?? [] }),
        },
        (call) =>
          call.json()['stream']
            ? call.stream(chatFrames().map((frame) => frame.replace('"choices":[],', '')))
            : good(call),
      )
      expect(await (await post(CHAT, chatRequest)).json()).toEqual({ ...chatAnswer(), patched: true })
      const text = await (await post(CHAT, streamed)).text()
      expect([chatText(text), text.endsWith(DONE), text.includes('"usage"')]).toEqual(['Hi there', true, false])
      expect(rows).toMatchObject([{ usage: { input: 11 } }, { usage: { input: 11, output: 7 }, translated: false }])
    })

    it('sends headers of its own and those of the caller that it names, and lets those of the upstream come down that it names', async () => {
      const { post, upstream } = await startSupport(
        'node',
        {
          headers: { 'x-fixed': '1', 'x-both': 'ours' },
          forward: ['x-both', 'x-more'],
          responseHeaders: ['x-left', 'x-absent'],
        },
        (call) => call.answer(200, chatAnswer(), { 'x-left': '3', 'x-other': '4' }),
      )
      const response = await post(CHAT, chatRequest, { headers: { 'x-both': 'theirs', 'x-unnamed': '2' } })
      expect(upstream.calls[0]?.headers).toMatchObject({ 'x-fixed': '1', 'x-both': 'theirs' })
      expect(upstream.calls[0]?.headers).not.toHaveProperty('x-unnamed')
      expect([
        response.headers.get('x-left'),
        response.headers.get('x-other'),
        response.headers.get('x-absent'),
      ]).toEqual(['3', null, null])
    })

    it('reads errors first, in answers of status 200 as well', async () => {
      const codes = (call: UpstreamCall) => call.answer(200, { code: 1004, message: `quota of ${SECRET}` })
      const readError: ProviderInstance['readError'] = ({ body }) =>
        (body as { code?: number }).code === 1004
          ? { kind: 'rate-limited', message: `quota of ${SECRET}`, retryAfterMs: 3_600_000 }
          : undefined
      for (const body of [chatRequest, streamed]) {
        const { post, rows } = await startOne('node', () => ({ readError }), codes)
        const response = await post(CHAT, body)
        expect([response.status, response.headers.get('retry-after'), await response.json()]).toMatchObject([
          429,
          '3600',
          { error: { message: 'alpha: quota of [redacted]' } },
        ])
        expect(rows).toMatchObject([{ failure: 'rate-limited' }])
      }
    })

    it('speaks a format for some models and another for the rest', async () => {
      const upstream = await startUpstream((call) =>
        call.path.endsWith('/messages') ? call.answer(200, messagesAnswer('from messages')) : good(call),
      )
      const provider = chatProvider(upstream.url, {
        chat: [
          {
            format: 'messages',
            path: () => '/messages',
            speaks: (model) => model === 'wise',
            signer: (model) => (model === 'wise' ? 'claude' : undefined),
          },
          { format: 'chat-completions', path: () => '/chat/completions' },
        ],
      })
      const { post, rows } = await startGateway('node', { providers: [provider] })
      for (const model of ['alpha/wise', 'alpha/small']) {
        expect((await post(MESSAGES, { ...messagesRequest, model })).status).toBe(200)
        expect((await post(CHAT, { ...chatRequest, model })).status).toBe(200)
      }
      expect(upstream.calls.map((call) => call.path)).toEqual([
        '/v1/messages',
        '/v1/chat/completions',
        '/v1/chat/completions',
        '/v1/chat/completions',
      ])
      expect(rows.map((row) => row.translated)).toEqual([false, false, true, false])
    })

    it('skips frames that say nothing', async () => {
      const { post } = await startSupport(
        'node',
        { patchFrame: ({ json }) => (json['padding'] === undefined ? json : undefined) },
        (call) => call.stream(chatFrames().flatMap((frame) => ['data: {"padding":"xxx"}\n\n', frame])),
      )
      const text = await (await post(CHAT, streamed)).text()
      expect([chatText(text), text.includes('padding')]).toEqual(['Hi there', false])
      expect(text.replaceAll(DONE, '').trim()).not.toContain('data: \n')
    })

    it('fails in its own code without harm to anybody else', async () => {
      const broken = () => {
        throw new Error('bug in adapter')
      }
      for (const more of [{ path: broken }, { patchRequest: broken }, { patchResponse: broken }]) {
        const { post, warnings, gateway } = await startSupport('node', more)
        const response = await post(CHAT, chatRequest)
        expect([response.status, (await response.text()).includes('bug in adapter')]).toEqual([500, false])
        if (!('patchResponse' in more)) expect(warnings.join()).toContain('bug in adapter')
        expect(gateway.inFlight()).toBe(0)
      }
      const { post } = await startSupport('node', { patchFrame: broken })
      expect((await post(CHAT, streamed)).status).toBe(500)
    })
  })

  it('may have a HeadgateError of its own kind thrown by a reader', async () => {
    const { post, rows } = await startSupport('node', {
      patchResponse() {
        throw new HeadgateError('upstream', 'no usable body')
      },
    })
    expect(await (await post(CHAT, chatRequest)).json()).toMatchObject({ error: { message: 'alpha: no usable body' } })
    expect(rows[0]?.attempts).toHaveLength(4)
  })
})
