import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EMBEDDERS } from './embedders.ts'
import { googleVectors, openaiVectors, vectorOf } from './embedding-vendors.ts'
import { googleAt } from './google.ts'
import { send } from './literal.ts'
import { openStage, PROVIDERS, type Stage, type StagedProvider } from './stage.ts'

const [openai, , google] = PROVIDERS as readonly [StagedProvider, StagedProvider, StagedProvider]

const EMBEDDING_PROVIDERS = [
  { name: 'OpenAI', provider: openai, model: 'text-embedding-3-small', answers: openaiVectors },
  { name: 'Google', provider: google, model: 'gemini-embedding-001', answers: googleVectors },
] as const

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  describe.each(EMBEDDING_PROVIDERS)('embeds with a model of $name', ({ provider, model, answers }) => {
    it.each(EMBEDDERS)('case 316: for $name', async (embedder) => {
      stage.upstream(provider).answer(answers)
      for (const texts of [['one'], ['one', 'three', 'eleven']]) {
        expect(await embedder.embed({ url: stage.url, model, texts })).toEqual(texts.map(vectorOf))
      }
    })
  })

  it.each(EMBEDDING_PROVIDERS)(
    'says of a model of $name that it is not for what it is asked',
    async ({ provider, model }) => {
      stage.upstream(provider).answer({ kind: 'whole', body: {} })
      const talk = { model, messages: [{ role: 'user', content: 'Hello.' }] }
      const refused = { param: 'model', message: expect.stringContaining('supports embeddings, not chat') }
      const chat = await send(stage.url, '/v1/chat/completions', JSON.stringify(talk))
      expect([chat.status, JSON.parse(chat.text)]).toMatchObject([400, { error: refused }])
      const embed = await send(stage.url, '/v1/embeddings', JSON.stringify({ model: provider.model, input: 'Hello.' }))
      const refusal = { param: 'model', message: expect.stringContaining('supports chat, not embeddings') }
      expect([embed.status, JSON.parse(embed.text)]).toMatchObject([400, { error: refusal }])
      expect(stage.upstream(provider).received.filter(({ method }) => method === 'POST')).toEqual([])
    },
  )

  it('case 322: passes what a client of Google asks of Google as it is', async () => {
    const upstream = stage.upstream(google)
    upstream.answer(googleVectors)
    const asked = {
      model: 'gemini-embedding-001',
      contents: ['one', 'three'],
      config: { taskType: 'RETRIEVAL_DOCUMENT', title: 'A title' },
    }
    await googleAt(stage.url, 'Gemini API').models.embedContent(asked)
    const newer = { model: 'gemini-embedding-2', contents: 'one', config: { outputDimensionality: 8 } }
    expect(await googleAt(stage.url, 'Vertex AI, of a project').models.embedContent(newer)).toMatchObject({
      embeddings: [{ values: vectorOf('one') }],
    })
    const [several, one] = upstream.received.filter(({ method }) => method === 'POST')
    expect(one).toMatchObject({
      path: '/v1beta/models/gemini-embedding-2:embedContent',
      body: { content: { parts: [{ text: 'one' }], role: 'user' }, embedContentConfig: { outputDimensionality: 8 } },
    })
    expect(several?.path).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents')
    expect(several?.body).toEqual({
      requests: asked.contents.map((text) => ({
        model: 'models/gemini-embedding-001',
        content: { parts: [{ text }], role: 'user' },
        taskType: 'RETRIEVAL_DOCUMENT',
        title: 'A title',
      })),
    })
  })
})
