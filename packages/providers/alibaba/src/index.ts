import { endpoint, endpointEnv, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { imageModels, images } from './images.ts'
import { models } from './models.ts'
import { readError, video } from './video.ts'
import { models as videos } from './video-models.ts'

const env = endpointEnv('alibaba')

/**
 * Alibaba Cloud Model Studio: videos and images of Wan and Qwen, chat completions of Qwen and others in the compatible mode, and messages,
 * forwarded unchanged.
 *
 * The base URL is a host. The default is the host in Singapore; the config can name another region or a workspace.
 *
 * @see https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope
 * @see https://www.alibabacloud.com/help/en/model-studio/anthropic-api-messages
 */
export const alibaba = defineProvider(
  {
    id: 'alibaba',
    title: 'Alibaba',
    config: z.strictObject(endpoint('https://dashscope-intl.aliyuncs.com')),
    env: { apiKey: ['DASHSCOPE_API_KEY', ...env.apiKey], baseUrl: env.baseUrl },
    claims: [/^wanx?\d/, /^qwen-(max|plus|turbo|flash|long|image)/],
  },
  (config) => ({
    ...openAICompatibleServer({
      ...config,
      base: '/compatible-mode/v1',
      messages: '/apps/anthropic/v1/messages',
      readError,
      images,
      known: [...models, ...videos, ...imageModels],
      unlisted: [...videos, ...imageModels],
    }),
    video,
  }),
)
