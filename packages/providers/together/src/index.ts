import { openAICompatible, readModel } from '@headgate/core/openai-compatible'
import { type Json, type ModelFacts, text } from '@headgate/core/provider'
import { images } from './images.ts'
import { models } from './models.ts'
import { speech } from './speech.ts'
import { speakers } from './speech-models.ts'
import { transcribers, transcription } from './transcription.ts'

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  chat: ['chat'],
  embedding: ['embeddings'],
  rerank: ['rerank'],
  audio: ['speech'],
  transcribe: ['transcription'],
  // Guard models, which answer chat completions.
  moderation: ['chat'],
  image: ['images'],
}

/**
 * Together AI: chat completions, embeddings, reranking and images, and the live model list.
 *
 * Its list is a bare array with a `type` for each model; other types are ignored. Cached tokens are in `cached_tokens`
 * directly below usage.
 *
 * @see https://docs.together.ai/docs/inference/openai-compatibility
 * @see https://docs.together.ai/reference/models-1
 * @see https://docs.together.ai/reference/rerank-1
 * @see https://docs.together.ai/docs/rate-limits
 */
export const together = openAICompatible({
  id: 'together',
  title: 'Together AI',
  baseUrl: 'https://api.together.ai/v1',
  env: { apiKey: ['TOGETHER_AI_API_KEY'] },
  embeddings: true,
  rerank: true,
  speech,
  transcription,
  guards: true,
  images,
  models: readTyped,
  known: [...models, ...transcribers, ...speakers],
  limitHeaders: [
    { unit: 'requests', remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', resetAs: 'seconds' },
  ],
})

function readTyped(entry: Json): ModelFacts | undefined {
  const model = readModel(entry)
  const families = FAMILIES[text(entry['type']) ?? '']
  return model && families && { ...model, families }
}
