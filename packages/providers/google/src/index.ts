import {
  type ChatSupport,
  contentImages,
  defineProvider,
  drawsByContent,
  endpoint,
  endpointEnv,
  type ModelFacts,
} from '@headgate/core/provider'
import { z } from 'zod'
import { embeddings } from './embeddings.ts'
import { listModels } from './list.ts'
import { models } from './models.ts'
import { readError } from './refusal.ts'
import { methodPath, resourceName } from './resource.ts'
import { speech } from './speech.ts'
import { speakers } from './speech-models.ts'
import { video } from './video.ts'
import { videoModels } from './video-models.ts'

const Count = z.object({ totalTokens: z.number() })

/** Models that fetch media by URL: Gemini, except 1.x and 2.0. */
const FETCHING = /^(?:models\/)?gemini-(?!1[.-]|2\.0|pro(?:-vision)?$)/

const chat: ChatSupport = {
  format: 'generate-content',
  path: ({ model, stream }) => methodPath(model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  signer: 'gemini',
}

/**
 * Google: the Gemini API, with native generateContent, embeddings, and videos of Gemini Omni.
 *
 * The base URL is a host. Gemini 2.5 and later fetch images and documents from public https URLs. Token counting takes
 * a whole generateContent request, so that system instruction and tools count.
 *
 * @see https://ai.google.dev/api/generate-content
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods
 * @see https://ai.google.dev/api/tokens
 * @see https://ai.google.dev/gemini-api/docs/caching
 */
export const google = defineProvider(
  {
    id: 'google',
    title: 'Google',
    genAiName: 'gcp.gemini',
    config: z.strictObject(endpoint('https://generativelanguage.googleapis.com')),
    env: { ...endpointEnv('google'), apiKey: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'] },
    claims: [/^gemini-/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-goog-api-key', value: apiKey },
    chat: [{ ...chat, speaks: (model) => FETCHING.test(model), facts: { imageUrls: true } }, chat],
    embeddings,
    images: contentImages((model) => methodPath(model, 'generateContent')),
    speech,
    video,
    models: listModels,
    known: [...models.map(withImages), ...videoModels, ...speakers],
    promptCache: { least: 2_048 },
    readError,
    countTokens: {
      request: ({ model, body }) => ({
        method: 'POST',
        url: methodPath(model, 'countTokens'),
        body: { json: { generateContentRequest: { ...body, model: resourceName(model) } } },
      }),
      response: ({ body }) => Count.parse(body).totalTokens,
    },
  }),
)

/** Facts of a model, with its second family if it makes images. */
function withImages(model: ModelFacts): ModelFacts {
  return drawsByContent(model.id) ? { ...model, families: [...(model.families ?? []), 'images'] } : model
}
