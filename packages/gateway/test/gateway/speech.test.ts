import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import {
  type ProviderInstance,
  pcmOfWav,
  type SpeechAbilities,
  type SpeechOptions,
} from '../../../core/src/provider.ts'
import type { GatewayOptions } from '../../src/index.ts'
import { KEY, SECRET, SINKS, startGateway } from '../support/gateway.ts'
import { encodedTone, hasFfmpeg, probed, tone } from '../support/sound.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/** Responses are written from https://platform.openai.com/docs/api-reference/audio/createSpeech. */

const MP3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), Buffer.alloc(500, 7)])
const TOKENS = { id: 'list@today', input: 1_000_000, output: 20_000_000 }
const ASKED = { model: 'mouth-1', voice: 'alloy', input: 'Hello there.' } as const

function speaker(baseUrl: string, speech: boolean | SpeechOptions = true, name = 'alpha'): ProviderInstance {
  const known = [{ id: 'mouth-1', families: ['speech'], price: TOKENS }]
  return {
    name,
    claims: [],
    ...openAICompatibleServer({ baseUrl, apiKey: SECRET, speech, models: false, known }),
  }
}

async function served(
  handler?: (call: UpstreamCall) => void,
  speech: boolean | SpeechOptions = true,
  options: Partial<GatewayOptions> = {},
) {
  const upstream = await startUpstream(handler)
  const gateway = await startGateway('node', { providers: [speaker(upstream.url, speech)], ...options })
  const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${gateway.port}/v1`, maxRetries: 0 })
  const say = (more: object = {}, headers: Record<string, string> = {}) =>
    gateway.post('/v1/audio/speech', { ...ASKED, ...more }, { headers })
  return { upstream, client, say, ...gateway }
}

const sound =
  (body: Uint8Array, type = 'audio/mpeg') =>
  (call: UpstreamCall): void => {
    call.head(200, { 'content-type': type })
    call.end(body)
  }

const delta = (bytes: Uint8Array): string =>
  `data: ${JSON.stringify({ type: 'speech.audio.delta', audio: Buffer.from(bytes).toString('base64') })}\n\n`
const DONE = `data: ${JSON.stringify({ type: 'speech.audio.done', usage: { input_tokens: 5, output_tokens: 40, total_tokens: 45 } })}\n\n`

const only = (can: Partial<SpeechAbilities>): SpeechOptions => ({ can: { formats: ['mp3'], ...can } })

async function errorOf(response: Response) {
  return { status: response.status, ...((await response.json()) as { error: object }).error } as {
    status: number
    message: string
    param: string
  }
}

/** Events of a stream. */
async function eventsOf(response: Response): Promise<{ type: string; audio?: string; usage?: object }[]> {
  return (await response.text()).split('\n\n').flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1]
    return data === undefined ? [] : [JSON.parse(data)]
  })
}

const joined = (events: readonly { audio?: string }[]): Buffer =>
  Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')))

describe('Speech', () => {
  it('passes requests and sound unchanged, and counts characters as an estimate', async () => {
    const { client, upstream, rows } = await served(sound(MP3))
    const answer = await client.audio.speech.create({ ...ASKED, input: 'Hi 🦊', speed: 2, instructions: 'Whisper.' })
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer()).equals(MP3)).toBe(true)
    expect(upstream.calls[0]).toMatchObject({ path: '/v1/audio/speech' })
    expect(upstream.calls[0]?.json()).toEqual({ ...ASKED, input: 'Hi 🦊', speed: 2, instructions: 'Whisper.' })
    expect(rows).toMatchObject([
      {
        family: 'speech',
        translated: false,
        stream: false,
        losses: [],
        usage: { units: { characters: 4 } },
        estimated: true,
        cost: null,
        billed: false,
        why: 'price-unknown',
      },
    ])
  })

  it('forwards the sound before the upstream sends more of it', async () => {
    const { upstream, say } = await served()
    const asking = say()
    const call = await upstream.next()
    call.head(200, { 'content-type': 'audio/mpeg' })
    await call.write(MP3.subarray(0, 20))
    const reader = (await asking).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? '').equals(MP3.subarray(0, 20))).toBe(true)
    call.end(MP3.subarray(20))
    expect((await reader?.read())?.value).toHaveLength(MP3.length - 20)
    expect((await reader?.read())?.done).toBe(true)
  })

  it('passes events unchanged with their usage, and bills its tokens', async () => {
    const { client, rows, upstream } = await served(
      (call) => call.stream([delta(MP3.subarray(0, 100)), delta(MP3.subarray(100)), DONE]),
      only({ sse: true }),
    )
    const answer = await client.audio.speech.create({ ...ASKED, stream_format: 'sse' })
    expect(await answer.text()).toBe(delta(MP3.subarray(0, 100)) + delta(MP3.subarray(100)) + DONE)
    expect(upstream.calls[0]?.json()).toEqual({ ...ASKED, stream_format: 'sse' })
    expect(rows).toMatchObject([
      { stream: true, translated: false, usage: { input: 5, output: 40, audioOutput: 40 }, cost: 805, billed: true },
    ])
  })

  it('reads the sound of events for callers of bytes, so that usage is known', async () => {
    const { client, rows, upstream } = await served(
      (call) => call.stream([delta(MP3.subarray(0, 100)), delta(MP3.subarray(100)), DONE]),
      only({ sse: true }),
    )
    const answer = await client.audio.speech.create(ASKED)
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer()).equals(MP3)).toBe(true)
    expect(upstream.calls[0]?.json()).toEqual({ ...ASKED, stream_format: 'sse' })
    expect(rows).toMatchObject([{ stream: false, translated: true, usage: { input: 5, output: 40 }, cost: 805 }])
  })

  it('makes events of bytes, and says that usage is missing', async () => {
    const { rows, say, upstream } = await served(sound(MP3))
    const answer = await say({ stream_format: 'sse' })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('headgate-lost')).toBe('response.usage')
    const events = await eventsOf(answer)
    expect(joined(events).equals(MP3)).toBe(true)
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done' })
    expect(upstream.calls[0]?.json()).toEqual(ASKED)
    expect(rows).toMatchObject([{ stream: true, losses: [{ path: 'response.usage' }] }])
  })

  it('adds the header of a WAV file to pcm, and removes it', async () => {
    const pcm = tone(100)
    const one = await served(sound(pcm, 'audio/pcm'), only({ formats: ['pcm'] }))
    const wav = await one.say({ response_format: 'wav' })
    expect(wav.headers.get('content-type')).toBe('audio/wav')
    const bytes = Buffer.from(await wav.arrayBuffer())
    expect(Buffer.from(pcmOfWav(bytes) ?? '').equals(pcm)).toBe(true)
    expect(one.upstream.calls[0]?.json()).toMatchObject({ response_format: 'pcm' })
    const chunked = async (call: UpstreamCall): Promise<void> => {
      call.head(200, { 'content-type': 'audio/wav' })
      for (const at of [0, 3, 11, 30])
        await call.write(bytes.subarray(at, at === 0 ? 3 : at === 3 ? 11 : at === 11 ? 30 : undefined))
      call.end('LIST\x04\0\0\0abcd')
    }
    const other = await served(chunked, only({ formats: ['wav'], wavRate: 24_000 }))
    expect(
      Buffer.from(await (await other.say({ response_format: 'pcm' })).arrayBuffer())
        .subarray(0, pcm.length)
        .equals(pcm),
    ).toBe(true)
    const none = await served(chunked, only({ formats: ['wav'] }))
    expect(await errorOf(await none.say({ response_format: 'pcm' }))).toMatchObject({ status: 400 })
  })

  it('rejects a format that the model does not make with those that it makes', async () => {
    const { say, upstream } = await served(undefined, only({ formats: ['opus', 'pcm'] }))
    expect(await errorOf(await say({ response_format: 'flac' }))).toMatchObject({
      status: 400,
      param: 'response_format',
      message: expect.stringContaining('does not make flac. It makes opus, wav, pcm.'),
    })
    expect(upstream.calls).toEqual([])
  })

  it('uses the nearest format if the caller chooses none, and declares it', async () => {
    const { say, upstream } = await served(sound(Buffer.from('OggS-------------------')), only({ formats: ['opus'] }))
    const answer = await say()
    expect(answer.headers.get('headgate-lost')).toBe('response_format;changed')
    expect(answer.headers.get('content-type')).toBe('audio/ogg')
    expect(upstream.calls[0]?.json()).toEqual({ ...ASKED, response_format: 'opus' })
    expect((await say({}, { 'headgate-strict': 'true' })).status).toBe(400)
  })

  it('maps voices by the configuration, then by the adapter, and lists those of the model', async () => {
    const can = only({ voices: ['Rachel', 'Adam'], voiceNames: { alloy: 'Adam' } })
    const voices = { narrator: { alpha: 'Rachel' } }
    const { say, upstream, rows } = await served(sound(MP3), can, { voices })
    const one = await say({ voice: 'narrator' })
    expect(one.headers.get('headgate-lost')).toBe(null)
    expect((await say({ voice: 'alloy' })).headers.get('headgate-lost')).toBe('voice;changed')
    await say({ voice: 'adam' })
    expect(upstream.calls.map((call) => call.json()['voice'])).toEqual(['Rachel', 'Adam', 'Adam'])
    expect(await errorOf(await say({ voice: 'verse' }))).toMatchObject({
      status: 400,
      param: 'voice',
      message: expect.stringContaining('Its voices: Rachel, Adam.'),
    })
    expect((await say({ voice: { id: 'voice_1' } })).status).toBe(400)
    expect(rows.filter(({ status }) => status === 200)).toHaveLength(3)
  })

  it('sends the id of a voice unchanged', async () => {
    const { say, upstream } = await served(sound(MP3))
    await say({ voice: { id: 'voice_1' } })
    expect(upstream.calls[0]?.json()['voice']).toEqual({ id: 'voice_1' })
  })

  it.each([
    ['a text that is too long', { input: 'x'.repeat(11) }, 'input'],
    ['a speed out of range', { speed: 3 }, 'speed'],
    ['an empty text', { input: '' }, 'input'],
    ['no voice', { voice: undefined }, 'voice'],
    ['an unknown format', { response_format: 'midi' }, 'response_format'],
    ['an unknown format of the stream', { stream_format: 'xml' }, 'stream_format'],
    ['a number as text', { speed: '1' }, 'speed'],
  ])('rejects %s', async (_, more, param) => {
    const { say, upstream } = await served(sound(MP3), only({ maxCharacters: 10, speed: [0.5, 2] }))
    expect(await errorOf(await say({ input: 'x'.repeat(10), ...more }))).toMatchObject({ status: 400, param })
    expect(upstream.calls).toEqual([])
  })

  it('drops what the model does not support, and declares it', async () => {
    const { say, upstream } = await served(sound(MP3), only({}))
    const answer = await say({ speed: 2, instructions: 'Whisper.', seed: 0 })
    expect(answer.headers.get('headgate-lost')?.split(', ').sort()).toEqual(['instructions', 'seed', 'speed'])
    expect(upstream.calls[0]?.json()).toEqual({ ...ASKED, response_format: 'mp3' })
    expect((await say({ speed: 1 })).headers.get('headgate-lost')).toBe(null)
  })

  it.each([
    ['an error in JSON', (call: UpstreamCall) => call.answer(200, { error: { message: 'No.' } })],
    ['an error as sound', (call: UpstreamCall) => sound(Buffer.from('{"error":{"message":"No, not at all."}}'))(call)],
    ['a page', (call: UpstreamCall) => sound(Buffer.from('<!doctype html><title>Hi</title>'), 'audio/mpeg')(call)],
    ['another format', (call: UpstreamCall) => sound(Buffer.from('RIFF----WAVEfmt '))(call)],
    ['nothing', (call: UpstreamCall) => sound(Buffer.alloc(0))(call)],
    ['a failure', (call: UpstreamCall) => call.answer(500, { error: { message: 'Down.' } })],
    ['an event with an error', (call: UpstreamCall) => call.stream('data: {"error":{"message":"No."}}\n\n')],
    ['a stream without sound', (call: UpstreamCall) => call.stream(DONE)],
  ])('uses another provider after %s', async (_, fail) => {
    const first = await startUpstream(fail)
    const second = await startUpstream(sound(MP3))
    const { post, rows } = await startGateway('node', {
      providers: [speaker(first.url), speaker(second.url, true, 'beta')],
      models: { mouth: ['alpha/mouth-1', 'beta/mouth-1'] },
    })
    const answer = await post('/v1/audio/speech', { ...ASKED, model: 'mouth' })
    expect(answer.headers.get('headgate-vendor')).toBe('beta')
    expect(Buffer.from(await answer.arrayBuffer()).equals(MP3)).toBe(true)
    expect(rows).toMatchObject([{ provider: 'beta', attempts: [{ provider: 'alpha' }, { provider: 'beta' }] }])
  })

  it.each(SINKS)('breaks the connection if the sound breaks off (%s)', async (sink) => {
    const upstream = await startUpstream()
    const { post, rows } = await startGateway(sink, { providers: [speaker(upstream.url)] })
    const asking = post('/v1/audio/speech', ASKED)
    const call = await upstream.next()
    call.head(200, { 'content-type': 'audio/mpeg' })
    await call.write(MP3)
    const answer = await asking
    call.reset()
    await expect(answer.arrayBuffer()).rejects.toThrow()
    expect(rows).toMatchObject([{ status: 200, why: 'cut', failure: 'upstream', usage: { units: { characters: 12 } } }])
  })

  it('ends broken events with an error, also if only their end is missing', async () => {
    const { client, rows } = await served((call) => call.stream(delta(MP3)), only({ sse: true }))
    const answer = await client.audio.speech.create({ ...ASKED, stream_format: 'sse' })
    const events = await eventsOf(answer as unknown as Response)
    expect(events).toMatchObject([{ type: 'speech.audio.delta' }, { error: { message: expect.any(String) } }])
    expect(rows).toMatchObject([{ why: 'cut' }])
  })

  it('aborts the upstream when the caller leaves, and bills the text', async () => {
    const characters = { id: 'list@today', input: 0, output: 0, units: { characters: 30_000_000_000 } }
    const { upstream, port, rows, access } = await served(undefined, true, { prices: { 'alpha/mouth-1': characters } })
    const leaving = new AbortController()
    const asking = fetch(`http://127.0.0.1:${port}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(ASKED),
      signal: leaving.signal,
    })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'audio/mpeg' })
    await call.write(MP3)
    await (await asking).body?.getReader().read()
    leaving.abort()
    await call.left
    await access.next()
    expect(rows).toMatchObject([
      {
        status: 499,
        why: 'canceled',
        estimated: true,
        usage: { units: { characters: 12 } },
        cost: 360_000,
        billed: true,
      },
    ])
  })

  it.each([
    ['the characters', true, '"bound":"0.00036"'],
    ['twice the characters of another wire, which may count differently', { formatNames: {} }, '"bound":"0.00072"'],
  ])('explains in a dry run that it would reserve %s', async (_, speech, bound) => {
    const characters = { id: 'list@today', input: 0, output: 0, units: { characters: 30_000_000_000 } }
    const { say, upstream } = await served(undefined, speech, { prices: { 'alpha/mouth-1': characters } })
    const dry = (await (await say({}, { 'headgate-dry-run': 'true' })).json()) as { candidates: object[] }
    expect(dry.candidates).toMatchObject([{ provider: 'alpha' }])
    expect(JSON.stringify(dry)).toContain(bound)
    expect(upstream.calls).toEqual([])
  })

  it('forwards the sound of events before the upstream sends more', async () => {
    const { upstream, say } = await served(undefined, only({ sse: true }))
    const asking = say()
    const call = await upstream.next()
    call.head(200, { 'content-type': 'text/event-stream' })
    await call.write(delta(MP3.subarray(0, 20)))
    const reader = (await asking).body?.getReader()
    expect((await reader?.read())?.value).toHaveLength(20)
    call.end(delta(MP3.subarray(20)) + DONE)
    expect((await reader?.read())?.value).toHaveLength(MP3.length - 20)
  })

  it('reads large sound of JSON', async () => {
    const pcm = tone(30_000)
    const speech: SpeechOptions = only({ formats: ['pcm'] })
    const upstream = await startUpstream((call) => call.answer(200, { audio: pcm.toString('base64') }))
    const provider = speaker(upstream.url, speech)
    const part = (data: unknown) => ({ bytes: Buffer.from((data as { audio: string }).audio, 'base64') })
    const { post } = await startGateway('node', {
      providers: [{ ...provider, ...(provider.speech && { speech: { ...provider.speech, native: undefined, part } }) }],
    })
    const answer = await post('/v1/audio/speech', { ...ASKED, response_format: 'wav' })
    expect(answer.headers.get('content-length')).toBe(String(pcm.length + 44))
    expect(Buffer.from(pcmOfWav(Buffer.from(await answer.arrayBuffer())) ?? '').equals(pcm)).toBe(true)
    const events = await eventsOf(
      await post('/v1/audio/speech', { ...ASKED, stream_format: 'sse', response_format: 'pcm' }),
    )
    expect(joined(events).equals(pcm)).toBe(true)
  })

  it('pauses the upstream while the caller does not read', async () => {
    const { upstream, port } = await served()
    const leaving = new AbortController()
    const asking = fetch(`http://127.0.0.1:${port}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(ASKED),
      signal: leaving.signal,
    })
    const call = await upstream.next()
    call.head(200, { 'content-type': 'audio/mpeg' })
    await call.write(MP3)
    await asking
    const piece = Buffer.alloc(1024 * 1024, 7)
    let sent = 0
    while (sent < 200 && call.fill(piece)) sent++
    // Only what the sockets hold went through.
    for (let turn = 0; turn < 50; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (call.fill(piece)) sent++
    }
    expect(sent).toBeLessThan(100)
    leaving.abort()
    await call.left
  })
})

describe.runIf(hasFfmpeg)('Formats of speech, as ffprobe reads them', () => {
  const CODEC = { mp3: 'mp3', opus: 'opus', aac: 'aac', flac: 'flac', wav: 'pcm_s16le', pcm: 'pcm_s16le' } as const

  it.each(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const)('passes %s', async (format) => {
    const { client } = await served((call) => sound(encodedTone(String(call.json()['response_format']), 1_000))(call))
    const answer = await client.audio.speech.create({ ...ASKED, response_format: format })
    const { codec, seconds } = probed(Buffer.from(await answer.arrayBuffer()), format)
    expect(codec).toBe(CODEC[format])
    expect(Math.abs(seconds - 1)).toBeLessThan(0.1)
  })

  it('makes a WAV file of streamed pcm, of known and of unknown length', async () => {
    const pcm = tone(1_000)
    for (const headers of [{}, { 'content-length': String(pcm.length) }]) {
      const handler = (call: UpstreamCall): void => {
        call.head(200, { 'content-type': 'audio/pcm', ...headers })
        call.end(pcm)
      }
      const { say } = await served(handler, only({ formats: ['pcm'] }))
      const bytes = Buffer.from(await (await say({ response_format: 'wav' })).arrayBuffer())
      expect(probed(bytes, 'wav')).toEqual({ codec: 'pcm_s16le', seconds: 1 })
    }
  })
})

describe.each(SINKS)('Speech with an idempotency key through %s', (sink) => {
  const keyed = { headers: { 'idempotency-key': 'one' } }
  const start = async (handler: (call: UpstreamCall) => void, options: Partial<GatewayOptions> = {}) => {
    const upstream = await startUpstream(handler)
    const gateway = await startGateway(sink, { providers: [speaker(upstream.url, only({}))], ...options })
    const say = (more: object = {}) => gateway.post('/v1/audio/speech', { ...ASKED, ...more }, keyed)
    return { upstream, say, ...gateway }
  }

  it.each([{}, { stream_format: 'sse' }])('is spoken once, and repeated byte for byte: %j', async (more) => {
    const { upstream, say, rows, access } = await start(sound(MP3))
    const first = await say(more)
    const wanted = Buffer.from(await first.arrayBuffer())
    await access.next()
    const again = await say(more)
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(Buffer.from(await again.arrayBuffer()).equals(wanted)).toBe(true)
    expect([wanted.length >= MP3.length, upstream.calls.length, rows.length]).toEqual([true, 1, 1])
  })

  it('is a conflict if the sound was too large or broke off', async () => {
    const large = await start(sound(MP3), { idempotency: { responseBytes: MP3.length - 1 } })
    expect(Buffer.from(await (await large.say()).arrayBuffer()).equals(MP3)).toBe(true)
    await large.access.next()
    expect(await errorOf(await large.say())).toMatchObject({
      status: 409,
      message: expect.stringContaining('too large'),
    })
    const broken = await start((call) => {
      call.head(200, { 'content-type': 'audio/mpeg' })
      void call.write(MP3).then(() => call.cut())
    })
    await expect(broken.say().then((response) => response.arrayBuffer())).rejects.toThrow()
    await broken.access.next()
    expect(await errorOf(await broken.say())).toMatchObject({
      status: 409,
      message: expect.stringContaining('broke off'),
    })
    expect([large.upstream.calls.length, broken.upstream.calls.length]).toEqual([1, 1])
  })
})
