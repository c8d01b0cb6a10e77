import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAI } from '@ai-sdk/openai'
import { createGateway, type Gateway, type ProviderInstance } from '@headgate/gateway'
import { generateSpeech } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodedTone, hasFfmpeg, probed } from '../../gateway/test/support/sound.ts'
import { CALLER_KEY, type LoopbackUpstream, type SpeechFacts, startUpstream } from '../src/index.ts'

/** Adapters with speech. Their vendors are played as their own tests play them. */
const ADAPTERS = [
  ...(['openai', 'azure', 'elevenlabs', 'deepgram', 'google', 'cartesia'] as const),
  ...(['minimax', 'mistral', 'xai', 'groq', 'together', 'deepinfra'] as const),
]
/** Rate of the tone that ffmpeg makes, of which a piece is a tenth of a second. */
const PIECE = 4_800
const MS = 1_000
const CODECS = { mp3: 'mp3', opus: 'opus', aac: 'aac', flac: 'flac', wav: 'pcm_s16le', pcm: 'pcm_s16le' } as const
type Format = keyof typeof CODECS

const tones = new Map<Format, Buffer>()

function toneIn(format: Format): Buffer {
  const known = tones.get(format) ?? encodedTone(format, MS)
  tones.set(format, known)
  return known
}

function piecesOf(sound: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < sound.length; at += PIECE) pieces.push(sound.subarray(at, at + PIECE))
  return pieces
}

async function adapterOf(id: string, origin: string): Promise<{ provider: ProviderInstance; facts: SpeechFacts }> {
  const adapter = (await import(`../../providers/${id}/src/index.ts`))[id]
  const { speech: facts } = await import(`../../providers/${id}/test/speech-vendor.ts`)
  const own = id === 'azure' ? 'https://herd.openai.azure.com' : undefined
  const { pathname } = new URL(adapter({ apiKey: 'k', ...(own !== undefined && { baseUrl: own }) }).baseUrl)
  const baseUrl = `${origin}${pathname === '/' ? '' : pathname}`
  return { provider: adapter({ apiKey: 'zebra.of.the.tone', baseUrl }), facts }
}

/** Formats that callers get: those that the vendor makes, and wav of pcm. */
function formatsOf({ formats }: SpeechFacts): Format[] {
  return formats.includes('pcm') && !formats.includes('wav') ? [...formats, 'wav'] : [...formats]
}

describe.runIf(hasFfmpeg).each(ADAPTERS)('Speech of %s, as programs decode it', (id) => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  let facts: SpeechFacts
  let baseURL = ''
  const server = createServer((request, response) => gateway.node(request, response))
  beforeAll(async () => {
    upstream = await startUpstream()
    const found = await adapterOf(id, upstream.origin)
    facts = found.facts
    gateway = createGateway({
      providers: [found.provider],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    upstream.answer((request) => {
      const { format } = facts.read?.(request) ?? { format: 'mp3' as const }
      const answer = {
        pieces: piecesOf(toneIn(format)),
        format,
        characters: 5,
        tokens: { input: 5, output: 25 },
      }
      const type = { kind: 'stream', pieces: answer.pieces, headers: { 'content-type': 'audio/mpeg' } } as const
      return facts.write?.(answer, request) ?? type
    })
  })
  afterAll(async () => {
    server.close()
    server.closeAllConnections()
    await Promise.all([gateway?.close(), upstream?.close()])
  })

  it('has the format and the length that the caller asks for, with the official client', async () => {
    const client = new OpenAI({ apiKey: CALLER_KEY, baseURL, maxRetries: 0, defaultHeaders: { vendor: id } })
    for (const format of formatsOf(facts)) {
      const { model, voice } = facts
      const answer = await client.audio.speech.create({ model, voice, input: 'Hello.', response_format: format })
      const bytes = Buffer.from(await answer.arrayBuffer())
      const { codec, seconds } = probed(bytes, format)
      expect([format, codec]).toEqual([format, CODECS[format]])
      expect(Math.abs(seconds - MS / 1_000), format).toBeLessThan(0.1)
    }
  })

  it('works with generateSpeech of the AI SDK', async () => {
    const openai = createOpenAI({ apiKey: CALLER_KEY, baseURL, headers: { vendor: id } })
    const { model, voice } = facts
    const [outputFormat = 'mp3'] = formatsOf(facts)
    const { audio } = await generateSpeech({ model: openai.speech(model), text: 'Hello.', voice, outputFormat })
    expect(probed(audio.uint8Array, outputFormat).codec).toBe(CODECS[outputFormat])
  })
})
