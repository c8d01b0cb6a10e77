import { createOpenAI } from '@ai-sdk/openai'
import { transcribe } from 'ai'
import OpenAI, { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import type { ProviderInstance, TranscriptionOptions } from '../../../core/src/provider.ts'
import { createMultipartScanner } from '../../src/uploads/multipart.ts'
import { KEY, SECRET, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/** Responses are written from https://platform.openai.com/docs/api-reference/audio. */

/** A nano-dollar per 10 µs: $0.006 per minute. */
const PRICE = { id: 'list@today', input: 0, output: 0, units: { milliseconds: 100_000_000 } }

function listener(
  baseUrl: string,
  transcription: boolean | TranscriptionOptions = true,
  name = 'alpha',
): ProviderInstance {
  const known = ['ear-1', 'whisper-1'].map((id) => ({ id, families: ['transcription'], price: PRICE }))
  return {
    name,
    claims: [],
    ...openAICompatibleServer({ baseUrl, apiKey: SECRET, transcription, models: false, known }),
  }
}

/** Silence in WAV: 8,000 samples of 16 bits a second. */
function wav(milliseconds: number): Buffer {
  const data = Buffer.alloc(milliseconds * 16)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}

/** Fields of a form that a provider received. */
function fieldsOf({ body, headers }: UpstreamCall): Record<string, string | Buffer> {
  const scanner = createMultipartScanner(/boundary=(.*)$/.exec(headers['content-type'] ?? '')?.[1] ?? '')
  scanner.write(body)
  return Object.fromEntries(
    scanner.end().map(({ name, filename, start, end }) => {
      const bytes = body.subarray(start, end)
      return [name, filename === undefined ? bytes.toString() : bytes]
    }),
  )
}

const SEGMENTS = [
  { id: 0, start: 0, end: 1.2, text: ' Hello there.' },
  { id: 1, start: 1.2, end: 61.5, text: ' How --> are you?' },
]
/** Fields that clients require and only whisper reports. */
const PLACEHOLDERS = {
  seek: 0,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 0,
  no_speech_prob: 0,
}
const VERBOSE = {
  task: 'transcribe',
  language: 'english',
  duration: 61.5,
  text: 'Hello there. How --> are you?',
  segments: SEGMENTS,
  words: [
    { word: 'Hello', start: 0, end: 0.5 },
    { word: 'there.', start: 0.5, end: 1.2 },
  ],
}

async function served(handler: (call: UpstreamCall) => void, transcription: boolean | TranscriptionOptions = true) {
  const upstream = await startUpstream(handler)
  const gateway = await startGateway('node', { providers: [listener(upstream.url, transcription)] })
  const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${gateway.port}/v1`, maxRetries: 0 })
  return { upstream, client, ...gateway }
}

describe('Transcription', () => {
  it('passes a form unchanged except for its model, and bills the length that the provider reports', async () => {
    const { client, upstream, rows } = await served((call) =>
      call.answer(200, { text: 'Hello.', usage: { type: 'duration', seconds: 3 } }),
    )
    const sound = wav(2_400)
    const answer = await client.audio.transcriptions.create({
      model: 'alpha/ear-1',
      file: await toFile(sound, 'a "b".wav', { type: 'audio/wav' }),
      language: 'en',
      chunking_strategy: 'auto',
    })
    expect(answer.text).toBe('Hello.')
    const [call] = upstream.calls
    expect(call?.path).toBe('/v1/audio/transcriptions')
    const { file, ...fields } = fieldsOf(call as UpstreamCall)
    expect(fields).toEqual({ model: 'ear-1', language: 'en', chunking_strategy: 'auto' })
    expect(sound.equals(file as Buffer)).toBe(true)
    expect(rows).toMatchObject([
      {
        family: 'transcription',
        translated: false,
        usage: { units: { milliseconds: 3_000 } },
        cost: 300_000,
        billed: true,
      },
    ])
  })

  it('bills the length of the file when the response has none', async () => {
    const { client, rows } = await served((call) => call.answer(200, { text: 'Hello.' }))
    const { text } = await client.audio.transcriptions.create({
      model: 'ear-1',
      file: await toFile(wav(2_400), 'a.wav'),
    })
    expect(text).toBe('Hello.')
    expect(rows).toMatchObject([{ usage: { units: { milliseconds: 2_400 } }, cost: 240_000 }])
  })

  const ELSEWHERE: TranscriptionOptions = { can: { times: 'word', speakers: true, prompt: true } }

  it.each([
    ['srt', '1\n00:00:00,000 --> 00:00:01,200\nHello there.\n\n2\n00:00:01,200 --> 00:01:01,500\nHow -> are you?\n\n'],
    ['vtt', 'WEBVTT\n\n00:00.000 --> 00:01.200\nHello there.\n\n00:01.200 --> 01:01.500\nHow -&gt; are you?\n\n'],
    ['text', 'Hello there. How --> are you?\n'],
  ] as const)('renders %s from the segments of any provider', async (format, expected) => {
    const { client, upstream, rows } = await served((call) => call.answer(200, VERBOSE), ELSEWHERE)
    const answer = await client.audio.transcriptions.create({
      model: 'ear-1',
      file: await toFile(wav(100), 'a.wav'),
      response_format: format,
      temperature: 0.5,
    })
    expect(answer).toBe(expected)
    expect(fieldsOf(upstream.calls[0] as UpstreamCall)).toMatchObject({
      response_format: 'verbose_json',
      model: 'ear-1',
    })
    expect(rows).toMatchObject([
      { translated: true, losses: [{ path: 'temperature' }], usage: { units: { milliseconds: 61_500 } } },
    ])
  })

  it('renders words, languages and speakers as OpenAI does', async () => {
    const file = await toFile(wav(100), 'a.wav')
    const { client } = await served((call) => call.answer(200, VERBOSE), ELSEWHERE)
    expect(
      await client.audio.transcriptions.create({
        model: 'ear-1',
        file,
        response_format: 'verbose_json',
        timestamp_granularities: ['word'],
      }),
    ).toEqual({
      ...VERBOSE,
      segments: [
        { ...PLACEHOLDERS, id: 0, start: 0, end: 1.2, text: 'Hello there.' },
        { ...PLACEHOLDERS, id: 1, start: 1.2, end: 61.5, text: 'How --> are you?' },
      ],
      usage: { type: 'duration', seconds: 62 },
    })
    const speakers = SEGMENTS.map((one, at) => ({ ...one, speaker: `speaker_${9 - at}` }))
    const two = await served((call) => call.answer(200, { ...VERBOSE, segments: speakers }), ELSEWHERE)
    const format = 'diarized_json' as const
    const answer = (await two.client.audio.transcriptions.create({
      model: 'ear-1',
      file,
      response_format: format,
    })) as OpenAI.Audio.TranscriptionDiarized
    expect(answer.segments.map(({ speaker, type }) => [speaker, type])).toEqual([
      ['A', 'transcript.text.segment'],
      ['B', 'transcript.text.segment'],
    ])
  })

  it('streams', async () => {
    const { client } = await served((call) => call.answer(200, VERBOSE))
    const file = await toFile(wav(100), 'a.wav')
    const types: string[] = []
    for await (const event of await client.audio.transcriptions.create({ model: 'ear-1', file, stream: true }))
      types.push(event.type)
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.done'])
  })

  it.each([
    ['no times', { response_format: 'srt' }, { can: {} }, 'response_format', 'no times of segments'],
    ['no speakers', { response_format: 'diarized_json' }, { can: { times: 'word' } }, 'response_format', 'speakers'],
    ['a large file', {}, { can: { maxBytes: 100 } }, 'file', '1644 bytes'],
    ['a long recording', {}, { can: { maxMs: 50 } }, 'file', '100 ms'],
  ] as const)('is refused before the call: %s', async (_, fields, options, param, message) => {
    const { client, upstream } = await served((call) => call.answer(200, VERBOSE), options)
    const file = await toFile(wav(100), 'a.wav')
    await expect(client.audio.transcriptions.create({ model: 'ear-1', file, ...fields })).rejects.toMatchObject({
      status: 400,
      param,
      message: expect.stringContaining(message),
    })
    expect(upstream.calls).toEqual([])
  })

  it('is repeated at the next provider with the same bytes', async () => {
    const failing = await startUpstream((call) => call.answer(503, { error: { message: 'busy' } }))
    const healthy = await startUpstream((call) => call.answer(200, { text: 'Hello.' }))
    const providers = [listener(failing.url), listener(healthy.url, true, 'beta')]
    const { port, rows } = await startGateway('node', { providers })
    const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 })
    const sound = wav(150_000)
    const answer = await client.audio.transcriptions.create({ model: 'ear-1', file: await toFile(sound, 'a.wav') })
    expect(answer.text).toBe('Hello.')
    for (const { calls } of [failing, healthy])
      expect(sound.equals(fieldsOf(calls[0] as UpstreamCall)['file'] as Buffer)).toBe(true)
    expect(rows).toMatchObject([{ provider: 'beta', usage: { units: { milliseconds: 150_000 } } }])
  })

  it('serves `transcribe` of the AI SDK', async () => {
    const { port, upstream } = await served((call) => call.answer(200, VERBOSE), ELSEWHERE)
    const headgate = createOpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${port}/v1` })
    const sound = wav(100)
    const { text, segments, durationInSeconds } = await transcribe({
      // The SDK asks this model for times.
      model: headgate.transcription('whisper-1'),
      audio: sound,
      maxRetries: 0,
    })
    expect(text).toBe(VERBOSE.text)
    expect(segments.map(({ startSecond, endSecond }) => [startSecond, endSecond])).toEqual([
      [0, 1.2],
      [1.2, 61.5],
    ])
    expect(durationInSeconds).toBe(61.5)
    expect(sound.equals(fieldsOf(upstream.calls[0] as UpstreamCall)['file'] as Buffer)).toBe(true)
  })

  it('declares the fields of whisper that other providers do not report', async () => {
    const { client } = await served((call) => call.answer(200, VERBOSE), ELSEWHERE)
    const file = await toFile(wav(100), 'a.wav')
    const { response } = await client.audio.transcriptions
      .create({ model: 'ear-1', file, response_format: 'verbose_json' })
      .withResponse()
    const lost = response.headers.get('headgate-lost') ?? ''
    for (const name of ['tokens', 'avg_logprob', 'no_speech_prob'])
      expect(lost).toContain(`response.segments[].${name};changed`)
  })

  it('counts features that are billed in addition', async () => {
    const can = { keywords: true, surcharges: { keywords: 'keywordMilliseconds' } }
    const { client, rows } = await served((call) => call.answer(200, { text: 'Hi.', duration: 2 }), { can })
    const file = await toFile(wav(100), 'a.wav')
    const fields = { model: 'ear-1', file, keywords: ['Headgate'] }
    await client.audio.transcriptions.create(fields)
    expect(rows).toMatchObject([
      { usage: { units: { milliseconds: 2_000, keywordMilliseconds: 2_000 } }, billed: false },
    ])
  })

  it.each([
    ['an HTML page', '<html></html>'],
    ['an error', { error: { message: 'The recording is broken.' } }],
    ['an object without a text', {}],
  ] as const)('is not served by %s with status 200', async (_, body) => {
    const { client, rows } = await served((call) => call.answer(200, body))
    const file = await toFile(wav(100), 'a.wav')
    await expect(client.audio.transcriptions.create({ model: 'ear-1', file })).rejects.toThrow()
    expect(rows).toMatchObject([{ billed: false }])
  })

  it('frees the space of each upload', async () => {
    const upstream = await startUpstream((call) => call.answer(200, { text: 'Hello.' }))
    const { port } = await startGateway('node', { providers: [listener(upstream.url)], limits: { uploads: 5_000_000 } })
    const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 })
    const file = await toFile(wav(150_000), 'a.wav')
    for (let time = 0; time < 5; time++)
      expect((await client.audio.transcriptions.create({ model: 'ear-1', file })).text).toBe('Hello.')
    await expect(client.audio.transcriptions.create({ model: 'none', file })).rejects.toMatchObject({ status: 400 })
  })
})

describe('A stream of a transcript', () => {
  const STREAMS: TranscriptionOptions = { can: { stream: true, formats: ['json'] } }
  const delta = { type: 'transcript.text.delta', delta: 'Hel' }
  const done = { type: 'transcript.text.done', text: 'Hello.', usage: { type: 'duration', seconds: 3 } }
  const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`

  it('is passed on as it comes, with its usage counted', async () => {
    let finish: () => void = () => {}
    const { client, upstream, rows } = await served((call) => {
      call.head(200, { 'content-type': 'text/event-stream' })
      void call.write(frame(delta))
      finish = () => call.end(frame(done))
    }, STREAMS)
    const sound = wav(2_400)
    const file = await toFile(sound, 'a.wav')
    const events: unknown[] = []
    for await (const event of await client.audio.transcriptions.create({ model: 'ear-1', file, stream: true })) {
      events.push(event)
      // The provider sends the rest only after the first event has arrived.
      if (events.length === 1) finish()
    }
    expect(events).toEqual([delta, done])
    const { file: sent, ...fields } = fieldsOf(upstream.calls[0] as UpstreamCall)
    expect(fields).toEqual({ model: 'ear-1', stream: 'true' })
    expect(sound.equals(sent as Buffer)).toBe(true)
    expect(rows).toMatchObject([
      { stream: true, translated: false, usage: { units: { milliseconds: 3_000 } }, cost: 300_000, billed: true },
    ])
  })

  it.each([
    ['an error response', 503, 'application/json', JSON.stringify({ error: { message: 'busy' } })],
    ['an error event', 200, 'text/event-stream', 'event: error\ndata: {"type":"error","error":{"message":"busy"}}\n\n'],
    ['no event', 200, 'text/event-stream', ': hello\n\n'],
  ] as const)('is repeated at the next provider with the same bytes after %s', async (_, status, type, body) => {
    const failing = await startUpstream((call) => {
      call.head(status, { 'content-type': type })
      call.end(body)
    })
    const healthy = await startUpstream((call) => call.stream([frame(delta), frame(done)]))
    const providers = [listener(failing.url, STREAMS), listener(healthy.url, STREAMS, 'beta')]
    const { port, rows } = await startGateway('node', { providers })
    const client = new OpenAI({ apiKey: KEY, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 })
    const sound = wav(150_000)
    const stream = await client.audio.transcriptions.create({
      model: 'ear-1',
      file: await toFile(sound, 'a.wav'),
      stream: true,
    })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.done'])
    for (const { calls } of [failing, healthy])
      expect(sound.equals(fieldsOf(calls[0] as UpstreamCall)['file'] as Buffer)).toBe(true)
    expect(rows).toMatchObject([{ provider: 'beta', usage: { units: { milliseconds: 3_000 } } }])
  })

  it('ends with an error if it breaks off, and bills the recording', async () => {
    const { client, rows } = await served((call) => call.stream(frame(delta)), STREAMS)
    const file = await toFile(wav(2_400), 'a.wav')
    const read = async (): Promise<void> => {
      for await (const event of await client.audio.transcriptions.create({ model: 'ear-1', file, stream: true }))
        expect(event).toEqual(delta)
    }
    await expect(read()).rejects.toThrow(/before it was complete/)
    expect(rows).toMatchObject([{ usage: { units: { milliseconds: 2_400 } }, estimated: true, cost: 240_000 }])
  })

  it('bills the recording if the caller leaves', async () => {
    let finish: () => void = () => {}
    const { client, rows, left, access } = await served((call) => {
      call.head(200, { 'content-type': 'text/event-stream' })
      void call.write(frame(delta))
      finish = () => call.end()
    }, STREAMS)
    const file = await toFile(wav(2_400), 'a.wav')
    for await (const _ of await client.audio.transcriptions.create({ model: 'ear-1', file, stream: true })) break
    await left()
    finish()
    await access.next()
    expect(rows).toMatchObject([{ status: 499, usage: { units: { milliseconds: 2_400 } }, cost: 240_000 }])
  })
})

describe('Uploads of one key', () => {
  it('take its part of the space only, so that another key can upload', async () => {
    const upstream = await startUpstream()
    const limits = { upload: 40_000, uploads: 100_000, keyUploads: 40_000 }
    const keys: Record<string, { id: string }> = { one: { id: 'key-1' }, two: { id: 'key-2' } }
    const options = { limits, authenticate: (key: string) => keys[key] }
    const { port } = await startGateway('node', { providers: [listener(upstream.url)], ...options })
    const ask = async (apiKey: string) => {
      const client = new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 })
      return client.audio.transcriptions.create({ model: 'ear-1', file: await toFile(wav(2_000), 'a.wav') })
    }
    const first = ask('one')
    const running = await upstream.next()
    await expect(ask('one')).rejects.toMatchObject({ status: 429, message: expect.stringContaining('no space left') })
    const other = ask('two')
    const another = await upstream.next()
    for (const call of [running, another]) call.answer(200, { text: 'Hello.' })
    expect((await Promise.all([first, other])).map(({ text }) => text)).toEqual(['Hello.', 'Hello.'])
    const again = ask('one')
    const last = await upstream.next()
    last.answer(200, { text: 'Again.' })
    expect((await again).text).toBe('Again.')
  })
})
