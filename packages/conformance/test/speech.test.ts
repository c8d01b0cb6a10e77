import {
  defineProvider,
  endpoint,
  type Provider,
  SPEAKER,
  type SpeechAbilities,
  type SpeechSupport,
  speechSupport,
} from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examine, type ProviderFacts, type SpeechFacts, testProvider } from '../src/index.ts'

const KEY = 'zebra.of.the.example'
const CONFIG = z.strictObject(endpoint('https://speech.example'))
type Config = z.input<typeof CONFIG>

/** An adapter of a vendor with OpenAI's shape, with a deviation. */
function example(
  support: Partial<SpeechSupport> = {},
  can: Partial<SpeechAbilities> = {},
  more: Partial<Provider> = {},
) {
  const abilities: SpeechAbilities = { ...SPEAKER, maxCharacters: 4_096, ...can }
  return defineProvider({ id: 'example', title: 'Example', config: CONFIG, env: {} }, ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-key', value: apiKey },
    speech: { ...speechSupport({ path: '/v1/audio/speech', can: abilities }), native: undefined, ...support },
    ...more,
  }))
}

function factsOf(speech: Partial<SpeechFacts> = {}): ProviderFacts<Config> {
  return {
    config: { apiKey: KEY },
    upstream: { credential: { header: 'x-key', value: KEY } },
    speech: {
      model: 'mouth-1',
      path: '/v1/audio/speech',
      voice: 'nova',
      formats: SPEAKER.formats,
      speed: [0.25, 4],
      instructions: true,
      maxCharacters: 4_096,
      ...speech,
    },
  }
}

/** What the kit says about a deviation. */
async function findings(
  support: Partial<SpeechSupport>,
  can: Partial<SpeechAbilities> = {},
  speech: Partial<SpeechFacts> = {},
): Promise<string> {
  const found = await examine(example(support, can), factsOf(speech))
  return found.map(({ message }) => message).join('\n')
}

const right = speechSupport({ path: '/v1/audio/speech' })
const body = (input: Parameters<SpeechSupport['request']>[0], more: object) => {
  const { body: given, ...request } = right.request(input, {} as Parameters<SpeechSupport['request']>[1])
  const json = given && 'json' in given ? (given.json as object) : {}
  return { ...request, body: { json: { ...json, ...more } } }
}

testProvider(example(), factsOf())

describe('A speech adapter fails the kit, which says what to fix, when it', () => {
  it('asks at the wrong path', async () => {
    expect(await findings({ request: (input) => ({ ...body(input, {}), url: '/audio/speech' }) })).toMatch(
      'The adapter sent POST /audio/speech, but the upstream serves POST /v1/audio/speech: fix `speech.request`',
    )
  })

  it('sends a field that the vendor does not know', async () => {
    expect(await findings({ request: (input) => body(input, { language: 'Chinese' }) })).toMatch(
      'unknown fields: language. Fix `speech.request` first',
    )
  })

  it('sends another text', async () => {
    expect(await findings({ request: (input) => body(input, { input: input.input.trim().slice(1) }) })).toMatch(
      'The vendor read',
    )
  })

  it('sends one voice for all', async () => {
    expect(await findings({ request: (input) => body(input, { voice: 'onyx' }) })).toMatch('fix `speech.request`')
  })

  it('sends one format for all', async () => {
    expect(await findings({ request: (input) => body(input, { response_format: 'mp3' }) })).toMatch(
      'For opus, callers get status 500',
    )
  })

  it('promises a format that the vendor does not make', async () => {
    expect(await findings({}, {}, { formats: ['mp3', 'opus'] })).toMatch(
      'Expected: 400, since the vendor does not make it: fix `formats`',
    )
  })

  it('hides a format that the vendor makes', async () => {
    expect(await findings({}, { formats: ['mp3', 'wav', 'pcm'] })).toMatch('For opus, callers get status 400')
  })

  it('calls every wav 24 kHz', async () => {
    expect(await findings({}, { formats: ['wav'], wavRate: 24_000 }, { formats: ['wav'] })).toMatch(
      'For pcm, callers get status 200',
    )
  })

  it('does not send the speed', async () => {
    expect(await findings({ request: (input) => body(input, { speed: undefined }) })).toMatch(
      'For `speed: 0.25`, the vendor got undefined',
    )
  })

  it('promises speeds that the vendor does not have', async () => {
    expect(await findings({}, {}, { speed: [0.5, 2] })).toMatch('For the speed 0.333')
  })

  it('does not send instructions', async () => {
    expect(await findings({ request: (input) => body(input, { instructions: undefined }) })).toMatch(
      'For `instructions: Whisper.`, the vendor got undefined',
    )
  })

  it('does not know the limit of a text', async () => {
    expect(await findings({}, { maxCharacters: undefined })).toMatch('For 4097 characters')
    expect(await findings({}, { maxCharacters: 1_000 })).toMatch('For 4096 characters')
  })

  it('does not list closed voices', async () => {
    expect(await findings({}, {}, { isClosed: true })).toMatch('Expected: 400 with the voices; fix `voices`')
  })

  it('closes voices that are open', async () => {
    expect(await findings({}, { voices: ['nova'] })).toMatch('remove `voices` from `speech.can`')
  })

  it('does not map voices of OpenAI', async () => {
    expect(await findings({}, {}, { alloy: 'Rachel' })).toMatch('For the voice alloy, the vendor got alloy')
  })

  it('does not read the usage in headers', async () => {
    const write: SpeechFacts['write'] = ({ pieces, characters }) => ({
      kind: 'stream',
      pieces,
      headers: { 'content-type': 'audio/mpeg', 'x-characters': String(characters) },
    })
    const mp3 = { formats: ['mp3'] } as const
    expect(await findings({}, mp3, { ...mp3, write, counts: 'characters' })).toMatch('fix `usageOf` or `part`')
    const usageOf: SpeechSupport['usageOf'] = ({ headers }) => ({
      input: 0,
      output: 0,
      units: { characters: Number(headers['x-characters']) },
    })
    expect(await findings({ usageOf }, mp3, { ...mp3, write, counts: 'characters' })).toBe('')
  })

  const hex: SpeechFacts['write'] = ({ pieces }) => ({
    kind: 'whole',
    body: { audio: Buffer.concat(pieces).toString('hex') },
  })
  const readHex: SpeechSupport['part'] = (data) => ({
    bytes: Buffer.from(String((data as { audio?: string }).audio ?? ''), 'hex'),
  })

  it('does not decode sound within JSON, or decodes it wrongly', async () => {
    expect(await findings({ part: () => ({}) }, {}, { write: hex })).toMatch('callers get status 500')
    expect(
      await findings(
        { part: (data) => ({ bytes: Buffer.from(String((data as { audio?: string }).audio)) }) },
        {},
        { write: hex },
      ),
    ).toMatch(/callers get/)
    expect(await findings({ part: readHex }, {}, { write: hex })).toBe('')
  })

  const events: SpeechFacts['write'] = ({ pieces, tokens }) => ({
    kind: 'stream',
    pieces: [
      ...pieces.map((piece) => ({ type: 'audio', data: Buffer.from(piece).toString('base64') })),
      { type: 'end', tokens },
    ].map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)),
  })
  const readEvents: SpeechSupport['part'] = (data) => {
    const {
      type,
      data: sound,
      tokens,
    } = data as { type: string; data?: string; tokens?: { input: number; output: number } }
    return {
      bytes: sound === undefined ? undefined : Buffer.from(sound, 'base64'),
      usage: tokens,
      isLast: type === 'end',
    }
  }

  it('does not know the end of a stream', async () => {
    const facts = { write: events, counts: 'tokens' } as const
    expect(await findings({ part: readEvents, hasEnd: true }, {}, facts)).toBe('')
    expect(
      await findings(
        { part: (data, input) => ({ ...readEvents(data, input), isLast: false }), hasEnd: true },
        {},
        facts,
      ),
    ).toMatch('Callers get other bytes')
  })

  it('does not read the tokens of a stream', async () => {
    const part: SpeechSupport['part'] = (data, input) => ({ ...readEvents(data, input), usage: undefined })
    expect(await findings({ part, hasEnd: true }, {}, { write: events, counts: 'tokens' })).toMatch(
      'fix `usageOf` or `part` of `speech`',
    )
  })
})
