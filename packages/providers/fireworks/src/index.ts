import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { imageModels, images } from './images.ts'
import { models } from './models.ts'
import { rerank } from './rerank.ts'
import { TRANSCRIPTION_HOSTS, transcribers, transcription } from './transcription.ts'

/**
 * Fireworks AI: chat completions, legacy completions, embeddings, reranking, images, messages and responses,
 * forwarded unchanged, and the live model list.
 *
 * The last chunk of a stream always reports usage. If a prompt together with `max_tokens` is too long, `max_tokens` is
 * reduced, unless `context_length_exceeded_behavior` is `error`. Responses are stored for 30 days, unless `store` is
 * false. Reasoning is in `reasoning_content`, in responses and in requests. A model is
 * `accounts/<account>/models/<model>`.
 *
 * @see https://docs.fireworks.ai/tools-sdks/migrate-to-fireworks
 * @see https://docs.fireworks.ai/api-reference/post-completions
 * @see https://docs.fireworks.ai/guides/response-api
 * @see https://fireworks.ai/docs/tools-sdks/openai-compatibility
 * @see https://fireworks.ai/docs/api-reference/rerank-documents
 * @see https://docs.fireworks.ai/serverless/rate-limits
 */
export const fireworks = openAICompatible({
  id: 'fireworks',
  title: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  messages: '/inference/v1/messages',
  responses: true,
  completions: true,
  embeddings: true,
  guards: true,
  rerank,
  transcription,
  hosts: TRANSCRIPTION_HOSTS,
  images,
  facts: { usageInStream: 'always', reasoning: 'reasoning_content' },
  ignoreModels: MEDIA_NAMES,
  known: [...models, ...imageModels, ...transcribers],
  unlisted: [...imageModels, ...transcribers],
  limitHeaders: [
    { unit: 'tokens', remaining: 'x-ratelimit-remaining-tokens-prompt' },
    { unit: 'output-tokens', remaining: 'x-ratelimit-remaining-tokens-generated' },
  ],
})
