import type { Received, Reply } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EMBEDDERS } from './embedders.ts'
import { googleAt } from './google.ts'
import { openStage, PROVIDERS, type Stage, type StagedProvider } from './stage.ts'

/** Answers are written from https://platform.openai.com/docs/api-reference/embeddings and https://ai.google.dev/api/embeddings. */

/** The vector of a text: its length comes first, so that each is known again. Exact as 32-bit floats. */
const vectorOf = (text: string): number[] => [text.length, 0.5, -0.25, 1, 0, 0, 2, 4]

interface OpenAIAsks {
  readonly input: string | readonly string[]
  readonly encoding_format?: string
}

interface GoogleAsks {
  readonly content?: { readonly parts: readonly { readonly text: string }[] }
  readonly requests?: readonly { readonly model: string; readonly content: NonNullable<GoogleAsks['content']> }[]
}

function openaiAnswers({ body }: Received): Reply {
  const { input, encoding_format } = body as OpenAIAsks
  const texts = typeof input === 'string' ? [input] : input
  const data = texts.map((text, index) => {
    const vector = vectorOf(text)
    const embedding = encoding_format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector
    return { object: 'embedding', index, embedding }
  })
  const usage = { prompt_tokens: texts.length, total_tokens: texts.length }
  return { kind: 'whole', body: { object: 'list', data, model: 'text-embedding-3-small', usage } }
}

function googleAnswers({ body }: Received): Reply {
  const { content, requests } = body as GoogleAsks
  const embedding = ({ parts }: NonNullable<GoogleAsks['content']>) => ({ values: vectorOf(parts.map(({ text }) => text).join('')) })
  const usageMetadata = { promptTokenCount: 1 }
  return {
    kind: 'whole',
    body: content
      ? { embedding: embedding(content), usageMetadata }
      : { embeddings: (requests ?? []).map((one) => embedding(one.content)), usageMetadata },
  }
}

/** The gateway looks for the list of models by itself. */
const onlyPosts =
  (answers: (asked: Received) => Reply) =>
  (asked: Received): Reply =>
    asked.method === 'POST' ? answers(asked) : { kind: 'whole', status: 404, body: {} }

const [openai, , google] = PROVIDERS as readonly [StagedProvider, StagedProvider, StagedProvider]

const EMBEDDING_PROVIDERS = [
  { name: 'OpenAI', provider: openai, model: 'text-embedding-3-small', answers: openaiAnswers },
  { name: 'Google', provider: google, model: 'gemini-embedding-001', answers: googleAnswers },
] as const

describe('A running gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  describe.each(EMBEDDING_PROVIDERS)('embeds with a model of $name', ({ provider, model, answers }) => {
    it.each(EMBEDDERS)('for $name', async (embedder) => {
      stage.upstream(provider).answer(onlyPosts(answers))
      for (const texts of [['one'], ['one', 'three', 'eleven']]) {
        expect(await embedder.embed({ url: stage.url, model, texts })).toEqual(texts.map(vectorOf))
      }
    })
  })

  it('passes what a client of Google asks of Google as it is', async () => {
    const upstream = stage.upstream(google)
    upstream.answer(onlyPosts(googleAnswers))
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
