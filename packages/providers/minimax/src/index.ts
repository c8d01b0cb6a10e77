import { endpoint, endpointEnv, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { readError, video } from './video.ts'

/**
 * MiniMax: videos of H3 and Hailuo, and chat completions. The base URL is a host; `https://api.minimaxi.com` is that of China.
 *
 * What chat completions would ignore is left out and declared. Its list has models of chat only: those of videos are added.
 *
 * @see https://platform.minimax.io/docs/guides/video-generation
 * @see https://platform.minimax.io/docs/api-reference/text-openai-api
 */
export const minimax = defineProvider(
  {
    id: 'minimax',
    title: 'MiniMax',
    config: z.strictObject(endpoint('https://api.minimax.io')),
    env: endpointEnv('minimax'),
    claims: [/^MiniMax-/, /^[TIS]2V-01/],
  },
  (config) => {
    const path = '/v1/chat/completions'
    const drop = ['presence_penalty', 'frequency_penalty', 'logit_bias']
    const { models: list, ...server } = openAICompatibleServer({ ...config, path, drop, readError, known: models })
    return {
      ...server,
      ...(list && {
        models: {
          request: (_, call) => ({ ...list.request(undefined, call), url: '/v1/models' }),
          response: (...answer) => {
            const listed = list.response(...answer)
            return Array.isArray(listed) ? [...models, ...listed] : listed
          },
        },
      }),
      video,
    }
  },
)
