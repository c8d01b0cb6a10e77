import Anthropic from '@anthropic-ai/sdk'
import { ApiError, type Model } from '@google/genai'
import { scenarios, vendorOf } from '@headgate/conformance'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY } from './gateway.ts'
import { GOOGLE_MODES, googleAt } from './google.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

/** What stands beside the fields of each vendor's shape. */
const KNOWN = {
  providers: ['openai'],
  inputs: expect.arrayContaining(['text', 'image']),
  price: { input: expect.any(Number), output: expect.any(Number), id: expect.stringContaining('@') },
}

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  describe('lists the models that can be called', () => {
    const expected = expect.arrayContaining(PROVIDERS.map(({ model }) => model))

    it('to openai', async () => {
      const client = new OpenAI({ baseURL: `${stage.url}/v1`, apiKey: API_KEY, maxRetries: 0 })
      const ids: string[] = []
      for await (const { id, object } of client.models.list()) {
        expect(object).toBe('model')
        ids.push(id)
      }
      expect(ids).toEqual(expected)
      expect(await client.models.retrieve('gpt-5.4')).toMatchObject({ id: 'gpt-5.4', owned_by: 'openai', ...KNOWN })
      await expect(client.models.retrieve('model-of-nobody')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    })

    it('to @anthropic-ai/sdk', async () => {
      const client = new Anthropic({ baseURL: stage.url, apiKey: API_KEY, maxRetries: 0 })
      const ids: string[] = []
      for await (const { id, type } of client.models.list()) {
        expect(type).toBe('model')
        ids.push(id)
      }
      expect(ids).toEqual(expected)
      const limits = { max_input_tokens: expect.any(Number), max_tokens: expect.any(Number) }
      expect(await client.models.retrieve('gpt-5.4')).toMatchObject({
        type: 'model',
        id: 'gpt-5.4',
        ...limits,
        ...KNOWN,
      })
      expect(await client.models.retrieve('openai/gpt-nobody-knows')).toMatchObject({ max_tokens: null, price: null })
      await expect(client.models.retrieve('model-of-nobody')).rejects.toBeInstanceOf(Anthropic.NotFoundError)
    })

    describe.each(GOOGLE_MODES)('to @google/genai (%s)', (mode) => {
      it('with names that it takes back', async () => {
        const { models } = googleAt(stage.url, mode)
        const listed: Model[] = []
        for await (const model of await models.list()) listed.push(model)
        expect(listed.map(({ name }) => name)).toEqual(
          expect.arrayContaining(PROVIDERS.map(({ model }) => `models/${model}`)),
        )
        for (const provider of PROVIDERS) {
          const found = listed.find(({ name }) => name === `models/${provider.model}`)
          stage.upstream(provider).answer(vendorOf(scenarios.text, provider.format))
          const { text } = await models.generateContent({ model: found?.name ?? '', contents: 'Hello.' })
          expect(text).toBe(scenarios.text.meaning.text)
        }
      })

      it('one by one as well', async () => {
        const { models } = googleAt(stage.url, mode)
        expect(await models.get({ model: 'gpt-5.4' })).toMatchObject({ name: 'models/gpt-5.4' })
        const failed = await models.get({ model: 'model-of-nobody' }).catch((cause: unknown) => cause)
        expect(failed).toBeInstanceOf(ApiError)
        expect(failed).toMatchObject({ status: 404, message: expect.stringContaining('"status":"NOT_FOUND"') })
      })
    })

    it('to plain HTTP under /v1beta, in the generateContent shape with the limits that are known', async () => {
      const get = async (path: string) =>
        (await fetch(`${stage.url}${path}`, { headers: { authorization: `Bearer ${API_KEY}` } })).json()
      const one = { name: 'models/gemini-3.5-flash', inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 }
      expect(await get('/v1beta/models/gemini-3.5-flash')).toMatchObject(one)
      expect(await get('/v1beta/models')).toMatchObject({
        models: expect.arrayContaining([expect.objectContaining(one)]),
      })
    })
  })
})
