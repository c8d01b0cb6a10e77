import { describe, expect, it } from 'vitest'
import type { Part } from '../../../core/src/codec.ts'
import {
  CHAT,
  chatChunk,
  chatFrames,
  chatRequest,
  chatUsageFrame,
  DONE,
  MESSAGES,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderInstance, UsageRow } from '../../src/index.ts'
import { chatProvider, messagesProvider, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const price = { id: 'list@2026-01-01', input: 1_000_000_000, output: 10_000_000_000 }
const known = [{ id: 'small', price }]
const streamed = { ...chatRequest, stream: true }
const chat = (url: string): ProviderInstance => chatProvider(url, { known })
const messages = (url: string): ProviderInstance => messagesProvider(url, { known })

/** Counts a token for every word. */
const estimateTokens = (text: string): number => text.split(/\s+/).filter(Boolean).length
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => ` word${index % 10}`)

const WAYS: readonly (readonly [
  string,
  string,
  unknown,
  (url: string) => ProviderInstance,
  (words: string[]) => string[],
])[] = [
  ['chat completions as they come', CHAT, streamed, chat, chatFrames],
  ['chat completions as messages', MESSAGES, { ...messagesRequest, stream: true }, chat, chatFrames],
  ['messages as they come', MESSAGES, { ...messagesRequest, stream: true }, messages, messagesFrames],
  ['messages as chat completions', CHAT, streamed, messages, messagesFrames],
]

async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  isEnough: (text: string) => boolean,
): Promise<void> {
  let text = ''
  while (!isEnough(text)) {
    const piece = await reader?.read()
    if (!piece || piece.done) throw new Error('The answer ended early.')
    text += new TextDecoder().decode(piece.value)
  }
}

describe.each(SINKS)('An answer through %s that breaks off', (sink) => {
  /** Has the caller take what the upstream has written, then does what the test says. */
  async function begun(
    provider: (url: string) => ProviderInstance,
    path: string,
    body: unknown,
    frames: readonly string[],
    options: Partial<GatewayOptions> = {},
  ) {
    const upstream = await startUpstream()
    const gateway = await startGateway(sink, { providers: [provider(upstream.url)], estimateTokens, ...options })
    const caller = new AbortController()
    const answering = gateway.post(path, body, { signal: caller.signal })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    void call.write(frames.join(''))
    const reader = (await answering).body?.getReader()
    const first = await reader?.read()
    const row = async (): Promise<UsageRow | undefined> => (await gateway.access.next()).usage
    return { ...gateway, call, leave: () => caller.abort(), reader, first, row }
  }

  describe.each(WAYS)('(%s)', (_, path, body, provider, framesOf) => {
    const all = framesOf(words(40))
    const usageAt = all.findIndex((frame) => frame.includes('"usage"') && !frame.includes('message_start'))

    it('in the middle, as the caller leaves, counts what was received, as an estimate', async () => {
      const { call, leave, row } = await begun(provider, path, body, all.slice(0, usageAt - 3))
      leave()
      await call.left
      const settled = await row()
      expect(settled).toMatchObject({ why: 'canceled', status: 499, billed: true, estimated: true, priceId: price.id })
      expect(settled?.usage?.output).toBeGreaterThanOrEqual(36)
      expect(settled?.usage?.output).toBeLessThanOrEqual(40)
      expect(settled?.usage?.input).toBe(all.join('').includes('input_tokens') ? 11 : 2)
      expect(settled?.cost).toBe((settled?.usage?.input ?? 0) * 1000 + (settled?.usage?.output ?? 0) * 10_000)
    })

    it('in the middle, as the upstream cuts it, counts what was received, as an estimate', async () => {
      const { call, reader, row } = await begun(provider, path, body, all.slice(0, usageAt - 3))
      call.cut()
      while (!(await reader?.read())?.done);
      const settled = await row()
      expect(settled).toMatchObject({ why: 'cut', status: 200, billed: true, estimated: true })
      expect(settled?.usage?.output).toBeGreaterThanOrEqual(36)
      expect(settled?.usage?.output).toBeLessThanOrEqual(40)
    })
  })

  describe.each(WAYS.slice(0, 2))(
    'between its last token and its usage, as the caller leaves (%s)',
    (_, path, body, provider) => {
      const said = chatFrames(words(3)).slice(0, -2)

      it('is read on, and paid as the upstream counts', async () => {
        const { call, leave, left, row } = await begun(provider, path, body, said)
        leave()
        await left()
        await call.write(chatUsageFrame)
        call.end(DONE)
        const settled = await row()
        expect(settled).toMatchObject({
          why: 'canceled',
          status: 499,
          billed: true,
          usage: { input: 11, output: 7 },
          cost: 81_000,
        })
        expect(settled?.estimated).toBeUndefined()
      })

      it('is paid as the upstream counts though it breaks off without its last blank line', async () => {
        const { call, leave, left, row } = await begun(provider, path, body, said)
        leave()
        await left()
        await call.write(chatUsageFrame.trimEnd())
        call.cut()
        expect(await row()).toMatchObject({ why: 'canceled', usage: { input: 11, output: 7 }, cost: 81_000 })
      })

      it.runIf(sink === 'node')('is not waited for longer than a moment, and paid by an estimate', async () => {
        const { call, leave, row } = await begun(provider, path, body, said, { times: { silence: 40 } })
        leave()
        await call.left
        expect(await row()).toMatchObject({
          why: 'canceled',
          billed: true,
          estimated: true,
          usage: { input: 2, output: 3 },
        })
      })

      it('is let go at once where the gateway shuts down', async () => {
        const { call, leave, left, row, gateway } = await begun(provider, path, body, said)
        leave()
        await left()
        gateway.abort()
        await call.left
        expect(await row()).toMatchObject({ why: 'canceled', estimated: true })
      })
    },
  )

  it('after its last token, as the upstream cuts it, is an answer that is paid by an estimate', async () => {
    const { call, reader, row } = await begun(chat, CHAT, streamed, chatFrames(words(3)).slice(0, -2))
    call.cut()
    while (!(await reader?.read())?.done);
    expect(await row()).toMatchObject({ why: 'served', billed: true, estimated: true, usage: { input: 2, output: 3 } })
  })

  it('is estimated by its beginning and its end where it is long', async () => {
    const frames = chatFrames(words(3000)).slice(0, -3)
    const { call, leave, reader, first, row } = await begun(chat, CHAT, streamed, frames.slice(0, -1))
    await readUntil(reader, (text) => text.length + (first?.value?.length ?? 0) >= frames.slice(0, -1).join('').length)
    leave()
    await call.left
    const output = (await row())?.usage?.output ?? 0
    expect(output).toBeGreaterThan(3000 * 0.9)
    expect(output).toBeLessThan(3000 * 1.1)
  })

  it('costs a token at least, once anything of it has come', async () => {
    const { call, leave, row } = await begun(chat, CHAT, streamed, [chatChunk({ role: 'assistant', content: '' })])
    leave()
    await call.left
    expect(await row()).toMatchObject({ billed: true, estimated: true, usage: { input: 2, output: 1 } })
  })

  it('is counted by its characters where the estimator fails', async () => {
    const broken = (): number => {
      throw new Error('no tables')
    }
    const { call, leave, row } = await begun(chat, CHAT, streamed, chatFrames(['x'.repeat(400)]).slice(0, 2), {
      estimateTokens: broken,
    })
    leave()
    await call.left
    expect(await row()).toMatchObject({ estimated: true, usage: { input: 3, output: 100 } })
  })

  it('has media in its request that no estimate takes for text', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(1000)}` } }
    const sound = { type: 'input_audio', input_audio: { data: 'UklGR'.repeat(1000), format: 'wav' } }
    const content = [{ type: 'text', text: 'Hello' }, image, sound]
    const request = { ...streamed, messages: [{ role: 'user', content }] }
    const { call, leave, row } = await begun(chat, CHAT, request, chatFrames(words(3)).slice(0, 3), {
      estimateTokens: (text) => text.length,
    })
    leave()
    await call.left
    expect((await row())?.usage?.input).toBeLessThan(50)
  })

  it('in this process is estimated too', async () => {
    async function* run(_: unknown, signal: AbortSignal): AsyncGenerator<Part> {
      yield { type: 'start' }
      yield { type: 'block-start', index: 0, block: { type: 'text', text: '' } }
      yield { type: 'block-delta', index: 0, delta: { text: 'three words here' } }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    const local: ProviderInstance = { name: 'local', claims: [], credential: { kind: 'none' }, chat: [{ run }], known }
    const { post, access } = await startGateway(sink, { providers: [local], estimateTokens })
    const caller = new AbortController()
    const reader = (await post(CHAT, streamed, { signal: caller.signal })).body?.getReader()
    await readUntil(reader, (text) => text.includes('three'))
    caller.abort()
    expect((await access.next()).usage).toMatchObject({
      why: 'canceled',
      estimated: true,
      usage: { input: 2, output: 3 },
    })
  })
})

describe('An answer that comes whole', () => {
  it('is never estimated', async () => {
    const upstream = await startUpstream((call: UpstreamCall) => call.stream(chatFrames()))
    const { post, rows } = await startGateway('node', { providers: [chat(upstream.url)] })
    await (await post(CHAT, streamed)).text()
    expect(rows[0]).toMatchObject({ usage: { output: 7 }, estimated: undefined })
  })
})
