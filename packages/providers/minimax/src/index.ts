import { endpoint, endpointEnv, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { imageModels, images } from './images.ts'
import { models } from './models.ts'
import { speech } from './speech.ts'
import { speakers } from './speech-models.ts'
import { readError, video } from './video.ts'
import { models as videos } from './video-models.ts'

/**
 * MiniMax: videos of H3 and Hailuo, images, chat completions, and messages, forwarded unchanged. The base URL is a host; in
 * China, `https://api.minimaxi.com`.
 *
 * Fields that chat completions ignore are dropped and declared as lost. Its list only has chat models; video and image
 * models are added.
 *
 * @see https://platform.minimax.io/docs/guides/video-generation
 * @see https://platform.minimax.io/docs/api-reference/text-openai-api
 * @see https://platform.minimax.io/docs/api-reference/text-anthropic-api
 */
export const minimax = defineProvider(
  {
    id: 'minimax',
    title: 'MiniMax',
    config: z.strictObject(endpoint('https://api.minimax.io')),
    env: endpointEnv('minimax'),
    claims: [/^MiniMax-/, /^[TIS]2V-01/],
  },
  (config) => ({
    ...openAICompatibleServer({
      ...config,
      base: '/v1',
      messages: '/anthropic/v1/messages',
      drop: ['presence_penalty', 'frequency_penalty', 'logit_bias'],
      readError,
      images,
      known: [...models, ...videos, ...imageModels, ...speakers],
      unlisted: [...videos, ...imageModels, ...speakers],
      speech,
    }),
    video,
  }),
)
