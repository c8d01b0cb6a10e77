import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenAICompatible as createOpenAICompatible1 } from '@ai-sdk/openai-compatible-1'
import { createOpenAICompatible as createOpenAICompatible2 } from '@ai-sdk/openai-compatible-2'
import { pcmOfWav } from '@headgate/core/provider'
import { DallEAPIWrapper } from '@langchain/openai'
import { generateImage, generateSpeech, transcribe } from 'ai'
import { experimental_generateImage as generateImage5 } from 'ai-5'
import { generateImage as generateImage6 } from 'ai-6'
import OpenAI, { toFile } from 'openai'
import OpenAI5 from 'openai-5'
import OpenAI6 from 'openai-6'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY, gatewayFolder } from './gateway.ts'
import { type LocalGateway, openGateway } from './local-gateway.ts'

const MODEL = 'demo'
const SAID = 'Headgate demo: no model was called. This transcript is always the same.'

function dimensionsOf(base64 = ''): readonly [width: number, height: number] {
  const file = Buffer.from(base64, 'base64')
  expect(file.subarray(1, 4).toString()).toBe('PNG')
  return [file.readUInt32BE(16), file.readUInt32BE(20)]
}

describe('Media of the demo', () => {
  let gateway: LocalGateway
  let folder: ReturnType<typeof gatewayFolder>
  beforeAll(async () => {
    folder = gatewayFolder({ demo: {} })
    gateway = await openGateway(folder.path)
  })
  afterAll(async () => {
    await gateway?.end()
    folder?.remove()
  })

  const baseURL = () => `${gateway.url}/v1`
  const clientOf = (Sdk: unknown) => new (Sdk as typeof OpenAI)({ baseURL: baseURL(), apiKey: API_KEY, maxRetries: 0 })
  const spoken = async (client = clientOf(OpenAI)): Promise<Buffer> => {
    const asked = { model: MODEL, voice: 'alloy', input: 'How do you do?', response_format: 'wav' } as const
    return Buffer.from(await (await client.audio.speech.create(asked)).arrayBuffer())
  }

  describe.each([
    ['openai 5', OpenAI5],
    ['openai 6', OpenAI6],
    ['openai 7', OpenAI],
  ])('for %s', (_, Sdk) => {
    it('has images of the size that was asked', async () => {
      const client = clientOf(Sdk)
      const { data = [] } = await client.images.generate({ model: MODEL, prompt: 'A fox.', n: 2, size: '1536x1024' })
      expect(data.map(({ b64_json }) => dimensionsOf(b64_json))).toEqual([
        [1536, 1024],
        [1536, 1024],
      ])
      const [made] = data
      const image = await toFile(Buffer.from(made?.b64_json ?? '', 'base64'), 'fox.png', { type: 'image/png' })
      const edited = await client.images.edit({ model: MODEL, image: [image], prompt: 'An owl.', size: '1024x1024' })
      expect(dimensionsOf(edited.data?.[0]?.b64_json)).toEqual([1024, 1024])
    })

    it('has sound, as bytes and as events', async () => {
      const client = clientOf(Sdk)
      const wav = await spoken(client)
      const pcm = pcmOfWav(wav)
      expect(pcm?.length).toBe(24_000 * 2 * 0.84)
      const asked = { model: MODEL, voice: 'alloy', input: 'How do you do?', response_format: 'pcm' } as const
      const streamed = await client.audio.speech.create({ ...asked, stream_format: 'sse' })
      const events = (await streamed.text()).split('\n\n').flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? [])
      const pieces = events.map((data) => Buffer.from(JSON.parse(data).audio ?? '', 'base64'))
      expect(Buffer.concat(pieces).equals(Buffer.from(pcm ?? []))).toBe(true)
    })

    it('has transcripts of an upload in every format', async () => {
      const client = clientOf(Sdk)
      const asked = { model: MODEL, file: await toFile(await spoken(client), 'speech.wav', { type: 'audio/wav' }) }
      const { audio } = client
      expect((await audio.transcriptions.create(asked)).text).toBe(SAID)
      expect(await audio.transcriptions.create({ ...asked, response_format: 'text' })).toBe(`${SAID}\n`)
      const srt = await audio.transcriptions.create({ ...asked, response_format: 'srt' })
      expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:00,\d{3}\nHeadgate demo/)
      expect(await audio.transcriptions.create({ ...asked, response_format: 'vtt' })).toMatch(/^WEBVTT\n\n/)
      const verbose = await audio.transcriptions.create({
        ...asked,
        response_format: 'verbose_json',
        timestamp_granularities: ['word'],
      })
      expect(verbose).toMatchObject({ duration: 0.84, language: 'english', text: SAID })
      expect(verbose.words).toHaveLength(12)
      const spoke = await audio.transcriptions.create({ ...asked, response_format: 'diarized_json' as 'json' })
      expect(Object(spoke).segments).toMatchObject([{ speaker: 'A' }, { speaker: 'B' }])
      expect((await audio.translations.create(asked)).text).toBe(SAID)
      let streamed = ''
      for await (const event of await audio.transcriptions.create({ ...asked, stream: true }))
        if (event.type === 'transcript.text.delta') streamed += event.delta
      expect(streamed).toBe(SAID)
    })

    it('has moderations', async () => {
      const { results } = await clientOf(Sdk).moderations.create({ model: MODEL, input: ['A fox.', 'I hate you.'] })
      expect(results.map(({ flagged }) => flagged)).toEqual([false, true])
      expect(results[1]?.categories.hate).toBe(true)
    })
  })

  it('are images for ai 5, 6 and 7', async () => {
    const settings = { name: 'headgate', apiKey: API_KEY, baseURL: baseURL() }
    const asked = { prompt: 'A fox.', size: '512x512', maxRetries: 0 } as const
    const made = [
      await generateImage5({ ...asked, model: createOpenAICompatible1(settings).imageModel(MODEL) }),
      await generateImage6({ ...asked, model: createOpenAICompatible2(settings).imageModel(MODEL) }),
      await generateImage({ ...asked, model: createOpenAICompatible(settings).imageModel(MODEL) }),
      await generateImage({ ...asked, model: createOpenAI(settings).image(MODEL) }),
    ]
    expect(made.map(({ image }) => dimensionsOf(image.base64))).toEqual(Array(4).fill([512, 512]))
  })

  it('are speech and transcripts for ai', async () => {
    const provider = createOpenAI({ apiKey: API_KEY, baseURL: baseURL() })
    const { audio } = await generateSpeech({
      model: provider.speech(MODEL),
      text: 'How do you do?',
      voice: 'alloy',
      outputFormat: 'wav',
      maxRetries: 0,
    })
    expect(Buffer.from(audio.uint8Array).equals(await spoken())).toBe(true)
    const { text } = await transcribe({
      model: provider.transcription(MODEL),
      audio: audio.uint8Array,
      maxRetries: 0,
    })
    expect(text).toBe(SAID)
  })

  it('are images for @langchain/openai', async () => {
    const wrapper = new DallEAPIWrapper({
      apiKey: API_KEY,
      model: MODEL,
      size: '512x512',
      dallEResponseFormat: 'b64_json',
      baseUrl: baseURL(),
    })
    const [made] = [await wrapper.invoke('A fox.')].flat()
    const url = Object(typeof made === 'string' ? { image_url: { url: made } } : made).image_url
    expect(dimensionsOf(String(Object(url).url ?? url).replace(/^data:image\/\w+;base64,/, ''))).toEqual([512, 512])
  })

  it('are refused as the formats say that it makes', async () => {
    const asked = { model: MODEL, voice: 'alloy', input: 'Hello.', response_format: 'mp3' } as const
    await expect(clientOf(OpenAI).audio.speech.create(asked)).rejects.toMatchObject({
      status: 400,
      param: 'response_format',
      message: expect.stringContaining('wav, pcm'),
    })
    await expect(clientOf(OpenAI).images.generate({ model: MODEL, prompt: 'demo:reject' })).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    })
  })
})
