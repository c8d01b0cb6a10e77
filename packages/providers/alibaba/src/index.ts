import { endpoint, endpointEnv, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { readError, video } from './video.ts'

const env = endpointEnv('alibaba')

/**
 * Alibaba Cloud Model Studio: videos of Wan, and chat completions of Qwen and others in its compatible mode. The base URL is a host:
 * by default that of Singapore; that of another region, or of a workspace, stands in the config.
 *
 * @see https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope
 */
export const alibaba = defineProvider(
  {
    id: 'alibaba',
    title: 'Alibaba',
    config: z.strictObject(endpoint('https://dashscope-intl.aliyuncs.com')),
    env: { apiKey: ['DASHSCOPE_API_KEY', ...env.apiKey], baseUrl: env.baseUrl },
    claims: [/^wanx?\d/, /^qwen-(max|plus|turbo|flash|long)/],
  },
  (config) => {
    const base = '/compatible-mode/v1'
    const { models: list, ...server } = openAICompatibleServer({ ...config, path: `${base}/chat/completions`, readError, known: models })
    return {
      ...server,
      ...(list && {
        models: {
          request: (_, call) => ({ ...list.request(undefined, call), url: `${base}/models` }),
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
