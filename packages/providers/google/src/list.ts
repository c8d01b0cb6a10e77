import {
  drawsByContent,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  type ModelFacts,
  next,
} from '@headgate/core/provider'
import { z } from 'zod'

/** Methods that Headgate calls. Models without any of them create images, or respond in real time. */
const GENERATES = 'generateContent'
const EMBEDS = 'embedContent'
/** Models that are only available through interactions, regardless of the methods that they list. */
const FILMS = /^models\/gemini-omni-/
/** Models whose output is speech. */
const SPEAKS = /-tts(-|$)/

const Model = z.object({
  name: z.string(),
  inputTokenLimit: z.number().optional(),
  outputTokenLimit: z.number().optional(),
  supportedGenerationMethods: z.array(z.string()).optional(),
  thinking: z.boolean().optional(),
})

const Page = z.object({ models: z.array(Model).default([]), nextPageToken: z.string().optional() })

/** Live model list, with the maximum page size. */
export const listModels: Exchange<void, readonly ModelFacts[]> = {
  request: () => page(),
  response(answer, _, earlier) {
    const { nextPageToken } = Page.parse(answer.body)
    return nextPageToken ? next(page(nextPageToken)) : [...earlier, answer].flatMap(readPage)
  },
}

function page(token?: string): HttpRequest {
  const query = new URLSearchParams({ pageSize: '1000', ...(token !== undefined && { pageToken: token }) })
  return { method: 'GET', url: `/v1beta/models?${query}` }
}

function readPage({ body }: HttpResponse): ModelFacts[] {
  return Page.parse(body).models.flatMap((model) => readModel(model) ?? [])
}

/** The output limit of an embedding model is 1: a vector, not a token. */
function readModel(model: z.infer<typeof Model>): ModelFacts | undefined {
  const { name, inputTokenLimit, outputTokenLimit, supportedGenerationMethods = [], thinking } = model
  const id = name.replace(/^models\//, '')
  if (FILMS.test(name)) return { id, families: ['video'] }
  const generates = supportedGenerationMethods.includes(GENERATES)
  const embeds = supportedGenerationMethods.includes(EMBEDS)
  if (!generates && !embeds) return undefined
  return {
    id,
    families: [
      ...(generates ? ['chat'] : []),
      ...(generates && SPEAKS.test(id) ? ['speech'] : []),
      ...(generates && drawsByContent(id) ? ['images'] : []),
      ...(embeds ? ['embeddings'] : []),
    ],
    ...(inputTokenLimit && { context: inputTokenLimit }),
    ...(generates && outputTokenLimit && { output: outputTokenLimit }),
    ...(thinking !== undefined && { reasoning: thinking }),
  }
}
