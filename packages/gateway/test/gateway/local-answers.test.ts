import { describe, expect, it } from 'vitest'
import type { Provider } from '../../../core/src/provider.ts'
import type { GatewayOptions, ProviderInstance } from '../../src/index.ts'
import { SINKS, type SinkName, startGateway } from '../support/gateway.ts'

type Answer = NonNullable<Provider['answer']>

const SPEECH = '/v1/audio/speech'
const IMAGES = '/v1/images/generations'
const price = { id: 'free', input: 0, output: 0 }

function local(answer: Answer): ProviderInstance {
  return {
    name: 'local',
    claims: [],
    credential: { kind: 'none' },
    answer,
    speech: {
      can: { formats: ['pcm'] },
      request: ({ input }) => ({ method: 'POST', url: '/speech', body: { json: { input } } }),
    },
    images: {
      can: {},
      request: ({ prompt }) => ({ method: 'POST', url: '/images', body: { json: { prompt } } }),
      response: ({ bytes }) => ({ images: [{ bytes }] }),
    },
    known: [
      { id: 'mouth', families: ['speech'], price },
      { id: 'brush', families: ['images'], price },
    ],
  }
}

async function start(answer: Answer, sink: SinkName = 'node', options: Partial<GatewayOptions> = {}) {
  const running = await startGateway(sink, { providers: [local(answer)], ...options })
  const ask = (path: string, init: Omit<RequestInit, 'body'> = {}) =>
    running.post(
      path,
      path === SPEECH
        ? { model: 'mouth', voice: 'a', input: 'Hi', response_format: 'pcm' }
        : { model: 'brush', prompt: 'x' },
      init,
    )
  return { ...running, ask }
}

/** Bytes that count how many pieces of them were taken. */
class Pieces extends Uint8Array {
  taken = 0
  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.taken++
    return new Uint8Array(this.buffer as ArrayBuffer).subarray(begin, end)
  }
}

describe('A response of an upstream in this process', () => {
  it.each([SPEECH, IMAGES])('for %s is limited like other responses', async (path) => {
    const { ask, rows } = await start(() => ({ type: 'audio/pcm', bytes: new Uint8Array(1_001) }), 'node', {
      limits: { answer: 1_000 },
    })
    const response = await ask(path)
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: { message: expect.stringContaining('larger than 1000 bytes') } },
    ])
    expect(rows).toMatchObject([{ failure: 'upstream', billed: false }])
  })

  it.each([SPEECH, IMAGES])('for %s counts for the memory of its request', async (path) => {
    const { ask } = await start(() => ({ type: 'audio/pcm', bytes: new Uint8Array(500_000) }), 'node', {
      limits: { body: 10_000, memory: 40_000 },
    })
    expect((await ask(path)).status).toBe(429)
  })

  it.each([SPEECH, IMAGES])('for %s is canceled when the caller leaves', async (path) => {
    const begun = Promise.withResolvers<AbortSignal>()
    const never = new Promise<never>(() => {})
    const { ask, access, gateway } = await start((_, signal) => {
      begun.resolve(signal)
      return never
    })
    const caller = new AbortController()
    const asking = ask(path, { signal: caller.signal }).catch(() => undefined)
    const signal = await begun.promise
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    caller.abort()
    await Promise.all([aborted, asking])
    expect(await access.next()).toMatchObject({ status: 499 })
    expect(gateway.inFlight()).toBe(0)
  })

  it.each(SINKS)('reaches a slow caller in pieces by %s', async (sink) => {
    const bytes = new Pieces(64 * 1024 * 1024 - 1)
    for (let at = 0; at < bytes.length; at += 65_536) bytes[at] = at >> 16
    const { ask } = await start(() => ({ type: 'audio/pcm', bytes }), sink)
    const reader = (await ask(SPEECH)).body?.getReader()
    const first = await reader?.read()
    expect(bytes.taken).toBeLessThan(512)
    const received = [first?.value ?? new Uint8Array()]
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) received.push(next.value)
    expect(Buffer.concat(received).equals(Buffer.from(bytes.buffer))).toBe(true)
    expect(bytes.taken).toBe(1_024)
  })
})
