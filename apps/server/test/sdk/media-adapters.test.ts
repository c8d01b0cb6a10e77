import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { CALLER_KEY } from '@headgate/conformance'
import { DallEAPIWrapper } from '@langchain/openai'
import { generateImage, generateSpeech, transcribe } from 'ai'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { imagesVendor, picture } from '../../../../packages/conformance/src/families/images/vendor.ts'
import {
  imageWith,
  markerOf,
  moderationsVendor,
} from '../../../../packages/conformance/src/families/moderations/vendor.ts'
import { soundOf, speechVendor } from '../../../../packages/conformance/src/families/speech/vendor.ts'
import { FILENAME, RECORDING } from '../../../../packages/conformance/src/families/transcription/recording.ts'
import { TEXT, transcriptionVendor } from '../../../../packages/conformance/src/families/transcription/vendor.ts'
import { exampleInstance } from '../../../../tools/docs/example-instance.ts'
import { chunksOf, googleAt } from './google.ts'
import {
  adapterOf,
  hasVendor,
  MEDIA_FAMILIES,
  MEDIA_PROVIDERS,
  type MediaStage,
  openMediaStage,
  PROVIDER_IDS,
} from './media-vendors.ts'

/** Providers whose vendors have the format of `@google/genai`. */
const GOOGLE: ReadonlySet<string> = new Set(['google', 'vertex'])
const PROMPT = 'Ein Fuchs 🦊 im Wald'
const INPUT = 'Grüße, 短い 🦊'
const INPUT_IMAGE = picture({ width: 16, height: 16 }, 3)
const MASK = picture({ width: 16, height: 16 }, 5)

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytesOf = (image: object | undefined): string => {
  if (image && 'bytes' in image) return base64(image.bytes as Uint8Array)
  return String(Object(image).url).replace(/^data:image\/png;base64,/, '')
}

function clientsAt(url: string) {
  const settings = { baseURL: `${url}/v1`, apiKey: CALLER_KEY }
  return {
    openai: new OpenAI({ ...settings, maxRetries: 0 }),
    ai: createOpenAI(settings),
    compatible: createOpenAICompatible({ name: 'headgate', ...settings }),
  }
}

describe.each(MEDIA_PROVIDERS)('Media of %s, over its loopback vendor,', (id) => {
  let stage: MediaStage
  beforeAll(async () => {
    stage = await openMediaStage(id)
  })
  afterAll(() => stage?.close())

  const has = (family: (typeof MEDIA_FAMILIES)[number]) => hasVendor(id, family)

  describe.runIf(has('images'))('are images', () => {
    const open = () => {
      const facts = stage.facts.images
      if (!facts) throw new Error('no facts')
      const vendor = imagesVendor(facts)
      stage.answer(vendor.answer)
      return {
        ...facts,
        model: stage.model(facts.model),
        vendor,
        made: () => vendor.made.map(base64),
        ...clientsAt(stage.url),
      }
    }

    it('for openai', async () => {
      const { model, openai, made, vendor } = open()
      const { data = [] } = await openai.images.generate({ model, prompt: PROMPT, n: 2 })
      expect(data.map(({ b64_json }) => b64_json).sort()).toEqual(made().sort())
      expect(data).toHaveLength(2)
      expect(vendor.asked[0]?.prompt).toBe(PROMPT)
    })

    it('of other images, for openai', async () => {
      const { model, openai, made, can, vendor } = open()
      const image = [await toFile(INPUT_IMAGE, 'fox.png', { type: 'image/png' })]
      const mask = await toFile(MASK, 'mask.png', { type: 'image/png' })
      const asked = { model, prompt: PROMPT, image, ...(can.mask && { mask }) }
      if (!can.images) {
        await expect(openai.images.edit(asked)).rejects.toMatchObject({ status: 400 })
        return
      }
      const { data = [] } = await openai.images.edit(asked)
      expect(data.map(({ b64_json }) => b64_json)).toEqual(made())
      expect(vendor.asked[0]?.images.map(bytesOf)).toEqual([base64(INPUT_IMAGE)])
      if (can.mask) expect(bytesOf(vendor.asked[0]?.mask)).toBe(base64(MASK))
    })

    it('for ai', async () => {
      const { model, ai, compatible, made, can } = open()
      const asked = { prompt: PROMPT, maxRetries: 0 }
      const got = [
        await generateImage({ ...asked, model: ai.image(model) }),
        await generateImage({ ...asked, model: compatible.imageModel(model) }),
      ]
      expect(got.map(({ image }) => image.base64)).toEqual(made())
      if (!can.images) return
      const edited = open()
      const prompt = { text: PROMPT, images: [INPUT_IMAGE] }
      const { image } = await generateImage({ ...asked, prompt, model: ai.image(model) })
      expect([image.base64]).toEqual(edited.made())
      expect(edited.vendor.asked[0]?.images.map(bytesOf)).toEqual([base64(INPUT_IMAGE)])
    })

    it('for @langchain/openai', async () => {
      const { model, made } = open()
      const baseUrl = `${stage.url}/v1`
      const wrapper = new DallEAPIWrapper({ apiKey: CALLER_KEY, model, dallEResponseFormat: 'b64_json', baseUrl })
      expect([await wrapper.invoke(PROMPT)].flat()).toEqual(made())
    })

    it.runIf(GOOGLE.has(id))('for @google/genai', async () => {
      const { model, made } = open()
      const { models } = googleAt(stage.url, 'Gemini API', { apiKey: CALLER_KEY })
      const got = await models.generateContent({ model, contents: PROMPT, config: { responseModalities: ['IMAGE'] } })
      expect(got.candidates?.[0]?.content?.parts?.map(({ inlineData }) => inlineData?.data)).toEqual(made())
    })
  })

  describe.runIf(has('speech'))('are speech', () => {
    const open = () => {
      const facts = stage.facts.speech
      if (!facts) throw new Error('no facts')
      const [format = 'mp3'] = facts.formats
      const vendor = speechVendor(facts)
      stage.answer(vendor.answer)
      return {
        ...facts,
        model: stage.model(facts.model),
        format,
        vendor,
        due: base64(soundOf(format)),
        ...clientsAt(stage.url),
      }
    }

    it('for openai, as bytes and as events', async () => {
      const { model, voice, format, due, openai, vendor } = open()
      const asked = { model, voice, input: INPUT, response_format: format } as const
      const whole = await openai.audio.speech.create(asked)
      expect(base64(new Uint8Array(await whole.arrayBuffer()))).toBe(due)
      const streamed = await openai.audio.speech.create({ ...asked, stream_format: 'sse' })
      const events = (await streamed.text()).split('\n\n').flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? [])
      const pieces = events.map((data) => Buffer.from(JSON.parse(data).audio ?? '', 'base64'))
      expect(base64(Buffer.concat(pieces))).toBe(due)
      expect(vendor.asked.map(({ input }) => input)).toEqual([INPUT, INPUT])
    })

    it('for ai', async () => {
      const { model, voice, format, due, ai } = open()
      const asked = { text: INPUT, voice, outputFormat: format, maxRetries: 0 }
      expect((await generateSpeech({ ...asked, model: ai.speech(model) })).audio.base64).toBe(due)
    })

    it.runIf(GOOGLE.has(id))('for @google/genai', async () => {
      const { model, voice, due } = open()
      const { models } = googleAt(stage.url, 'Gemini API', { apiKey: CALLER_KEY })
      const speechConfig = { voiceConfig: { voice } }
      const config = { responseModalities: ['AUDIO'], speechConfig }
      const chunks = await chunksOf(await models.generateContentStream({ model, contents: INPUT, config }))
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
      expect(base64(Buffer.concat(parts.map(({ inlineData }) => Buffer.from(inlineData?.data ?? '', 'base64'))))).toBe(
        due,
      )
    })
  })

  describe.runIf(has('transcription'))('are transcripts', () => {
    const open = () => {
      const facts = stage.facts.transcription
      if (!facts) throw new Error('no facts')
      const vendor = transcriptionVendor(facts)
      stage.answer(vendor.answer)
      return { ...facts, model: stage.model(facts.model), vendor, ...clientsAt(stage.url) }
    }

    it('for openai, in each format', async () => {
      const { model, openai, vendor, can } = open()
      const asked = { model, file: await toFile(RECORDING, FILENAME, { type: 'audio/wav' }) }
      expect((await openai.audio.transcriptions.create(asked)).text).toBe(TEXT)
      expect(vendor.asked.map(({ file }) => base64(file.bytes))).toEqual([base64(RECORDING)])
      expect(await openai.audio.transcriptions.create({ ...asked, response_format: 'text' })).toContain(TEXT)
      let streamed = ''
      for await (const event of await openai.audio.transcriptions.create({ ...asked, stream: true }))
        if (event.type === 'transcript.text.delta') streamed += event.delta
      expect(streamed).toBe(TEXT)
      if (can.times === undefined) return
      const verbose = await openai.audio.transcriptions.create({ ...asked, response_format: 'verbose_json' })
      expect([verbose.text, verbose.segments?.length]).toEqual([TEXT, 2])
    })

    it('for ai', async () => {
      const { model, ai, vendor } = open()
      const { text } = await transcribe({ model: ai.transcription(model), audio: RECORDING, maxRetries: 0 })
      expect(text).toBe(TEXT)
      expect(base64(vendor.asked[0]?.file.bytes ?? new Uint8Array())).toBe(base64(RECORDING))
    })
  })

  it.runIf(has('moderations'))('are moderations for openai', async () => {
    const facts = stage.facts.moderations
    if (!facts) throw new Error('no facts')
    const { images } = facts
    const model = stage.model(facts.model)
    stage.answer(moderationsVendor(facts).answer)
    const { moderations } = clientsAt(stage.url).openai
    const { results } = await moderations.create({ model, input: ['A fox.', `A ${markerOf('hate')}.`] })
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true])
    const image = { type: 'image_url', image_url: { url: imageWith('violence') } } as const
    const input = [{ type: 'text', text: 'A fox.' } as const, image]
    if (images) expect((await moderations.create({ model, input })).results[0]?.flagged).toBe(true)
    else await expect(moderations.create({ model, input })).rejects.toMatchObject({ status: 400 })
  })
})

it('Media of each provider with such a family have a loopback vendor', async () => {
  const missing: string[] = []
  for (const id of PROVIDER_IDS.filter((one) => one !== 'demo')) {
    const provider = exampleInstance(await adapterOf(id))
    for (const family of MEDIA_FAMILIES)
      if (provider[family] !== undefined && !hasVendor(id, family)) missing.push(`${id}: ${family}`)
  }
  expect(missing).toEqual([])
})
