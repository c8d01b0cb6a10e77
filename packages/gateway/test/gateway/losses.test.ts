import { describe, expect, it } from 'vitest'
import type { ChatSupport } from '../../../core/src/provider.ts'
import {
  CHAT,
  chatAnswer,
  chatRequest,
  MESSAGES,
  messagesAnswer,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { startOne, startSupport } from '../support/fleet.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const inMessages = (call: UpstreamCall): unknown =>
  call.json()['stream'] ? call.stream(messagesFrames()) : call.answer(200, messagesAnswer())

describe('What a translation loses', () => {
  async function start(changes: Partial<ProviderInstance> = {}) {
    const upstream = await startUpstream(inMessages)
    return { ...(await startGateway('node', { providers: [messagesProvider(upstream.url, changes)] })), upstream }
  }
  const lossy = { ...chatRequest, logit_bias: { 50: 1 }, frequency_penalty: 1, seed: 7, n: 1, future: { a: 1 } }

  it('is named in the header, and in the row with reasons', async () => {
    const { post, rows } = await start()
    const response = await post(CHAT, lossy)
    const lost = response.headers.get('headgate-lost')?.split(', ').sort()
    expect([response.status, lost]).toEqual([200, ['frequency_penalty', 'future', 'logit_bias', 'seed']])
    expect(rows[0]?.losses.map((loss) => loss.path).sort()).toEqual(lost)
    for (const loss of rows[0]?.losses ?? []) expect(loss.reason).not.toBe('')
  })

  it('is named for streams as well, as far as it is the request’s', async () => {
    const { post } = await start()
    expect((await post(CHAT, { ...lossy, stream: true })).headers.get('headgate-lost')).toContain('logit_bias')
  })

  it('is nothing where nothing is lost', async () => {
    const { post, rows } = await start()
    expect((await post(CHAT, { ...chatRequest, max_completion_tokens: 5 })).headers.get('headgate-lost')).toBeNull()
    expect((await post(MESSAGES, { ...messagesRequest, future: 1 })).headers.get('headgate-lost')).toBeNull()
    expect(rows.map((row) => row.losses)).toEqual([[], []])
  })

  it('is a 400 under headgate-strict, which lets hints go', async () => {
    const { post, upstream } = await start()
    const ask = async (strict: string, body: unknown) => {
      const response = await post(CHAT, body, { headers: { 'headgate-strict': strict } })
      const { error } = (await response.json()) as { error?: { message: string; param: string | null } }
      return error ? `${response.status} ${error.param}: ${error.message}` : response.status
    }
    const hints = { ...chatRequest, seed: 7 }
    expect([await ask('true', hints), await ask('false', lossy)]).toEqual([200, 200])
    expect(await ask('true', lossy)).toMatch(
      /^400 (logit_bias|frequency_penalty|future): Provider alpha does not support all fields of the request, and headgate-strict forbids losses: .*logit_bias \(dropped: /,
    )
    expect(await ask('true', lossy)).not.toContain('seed (')
    expect(await ask('all', hints)).toMatch(/^400 seed: /)
    expect(upstream.calls).toHaveLength(2)
  })

  it('makes those who lose nothing come first, unless one is pinned', async () => {
    const [first, second] = [
      await startUpstream(inMessages),
      await startUpstream((call) => call.answer(200, chatAnswer())),
    ]
    const { post } = await startGateway('node', {
      providers: [messagesProvider(first.url), chatProvider(second.url, { name: 'beta' })],
    })
    const served = async (body: unknown, vendor?: string) =>
      (await post(CHAT, body, vendor ? { headers: { vendor } } : {})).headers.get('headgate-vendor')
    expect([await served(chatRequest), await served(lossy), await served(lossy, 'alpha')]).toEqual([
      'alpha',
      'beta',
      'alpha',
    ])
    const strict = await post(CHAT, lossy, { headers: { 'headgate-strict': 'true' } })
    expect([strict.status, strict.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
  })

  it('of an image is never nothing: a model that can not see refuses it', async () => {
    const { post, upstream } = await start({ known: [{ id: 'small', inputs: ['text'], tools: false }] })
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    const seen = await post(CHAT, {
      model: 'small',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, image] }],
    })
    expect([seen.status, await seen.json()]).toMatchObject([
      400,
      {
        error: {
          param: expect.stringContaining('messages[0].content[1]'),
          message: expect.stringContaining('does not support image input'),
        },
      },
    ])
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect(await (await post(CHAT, { ...chatRequest, tools })).json()).toMatchObject({
      error: { param: 'tools', message: expect.stringContaining('does not support tools') },
    })
    expect(upstream.calls).toHaveLength(0)
  })
})

describe('What the patch of an adapter leaves out', () => {
  const patchRequest: ChatSupport['patchRequest'] = ({ stop, seed, ...body }, call) => {
    if (stop !== undefined) call.lose('stop', 'the model knows no such words')
    if (seed !== undefined) call.lose('seed', 'it is rounded', 'changed')
    return seed === undefined ? body : { ...body, seed: 1 }
  }
  const asked = { ...chatRequest, stop: ['.'], seed: 7 }

  it('is what it declares: in the header and in the row, whole and streamed', async () => {
    const { post, rows, upstream } = await startSupport('node', { patchRequest })
    for (const stream of [false, true])
      expect((await post(CHAT, { ...asked, stream })).headers.get('headgate-lost')).toBe('stop, seed;changed')
    const losses = [
      { path: 'stop', kind: 'dropped', reason: 'the model knows no such words' },
      { path: 'seed', kind: 'changed', reason: 'it is rounded' },
    ]
    expect(rows.map((row) => row.losses)).toEqual([losses, losses])
    expect(upstream.calls[0]?.json()).toEqual({ ...chatRequest, stream: false, seed: 1 })
    expect((await post(CHAT, chatRequest)).headers.get('headgate-lost')).toBeNull()
  })

  it('is refused under headgate-strict, before anything is sent', async () => {
    const { post, upstream, rows } = await startSupport('node', { patchRequest })
    const response = await post(CHAT, asked, { headers: { 'headgate-strict': 'true' } })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param: 'stop', message: expect.stringContaining('stop (dropped: the model knows no such words)') } },
    ])
    expect([upstream.calls, rows]).toEqual([[], []])
  })

  it('is said in the words of a caller of another format', async () => {
    const { post } = await startSupport('node', { patchRequest })
    const response = await post(MESSAGES, { ...messagesRequest, stop_sequences: ['.'] })
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, 'stop_sequences'])
  })

  it('is said in these words where it lies within a group', async () => {
    const { post } = await startOne(
      'node',
      () => ({
        chat: [
          {
            format: 'generate-content',
            path: () => '/x:generateContent',
            patchRequest(body, call) {
              call.lose('generationConfig.stopSequences', 'the model knows no such words')
              return body
            },
          },
        ],
      }),
      (call) => call.answer(200, { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }),
    )
    const response = await post(CHAT, { ...chatRequest, stop: ['.'], temperature: 0.5 })
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, 'stop'])
  })
})
