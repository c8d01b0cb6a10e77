import { describe, expect, it } from 'vitest'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, DOORS, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { CHAT, chatAnswer, chatRequest, MESSAGES, messagesAnswer, messagesFrames, messagesRequest } from '../support/wire.ts'

const inMessages = (call: UpstreamCall): unknown =>
  call.json()['stream'] ? call.stream(messagesFrames()) : call.answer(200, messagesAnswer())

describe.each(DOORS)('What a translation behind %s loses', (door) => {
  async function start(changes: Partial<ProviderInstance> = {}) {
    const upstream = await startUpstream(inMessages)
    return { ...(await startGateway(door, { providers: [messagesProvider(upstream.url, changes)] })), upstream }
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
      /^400 (logit_bias|frequency_penalty|future): Provider alpha can not carry all of the request, and headgate-strict forbids losses: .*logit_bias \(dropped: /,
    )
    expect(await ask('true', lossy)).not.toContain('seed (')
    expect(await ask('all', hints)).toMatch(/^400 seed: /)
    expect(upstream.calls).toHaveLength(2)
  })

  it('makes those who lose nothing come first, unless one is pinned', async () => {
    const [first, second] = [await startUpstream(inMessages), await startUpstream((call) => call.answer(200, chatAnswer()))]
    const { post } = await startGateway(door, { providers: [messagesProvider(first.url), chatProvider(second.url, { name: 'beta' })] })
    const served = async (body: unknown, vendor?: string) =>
      (await post(CHAT, body, vendor ? { headers: { vendor } } : {})).headers.get('headgate-vendor')
    expect([await served(chatRequest), await served(lossy), await served(lossy, 'alpha')]).toEqual(['alpha', 'beta', 'alpha'])
    const strict = await post(CHAT, lossy, { headers: { 'headgate-strict': 'true' } })
    expect([strict.status, strict.headers.get('headgate-vendor')]).toEqual([200, 'beta'])
  })

  it('of an image is never nothing: a model that can not see refuses it', async () => {
    const { post, upstream } = await start({ known: [{ id: 'small', inputs: ['text'], tools: false }] })
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    const seen = await post(CHAT, { model: 'small', messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, image] }] })
    expect([seen.status, await seen.json()]).toMatchObject([
      400,
      {
        error: { param: expect.stringContaining('messages[0].content[1]'), message: expect.stringContaining('does not take image input') },
      },
    ])
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect(await (await post(CHAT, { ...chatRequest, tools })).json()).toMatchObject({
      error: { param: 'tools', message: expect.stringContaining('does not call tools') },
    })
    expect(upstream.calls).toHaveLength(0)
  })
})
