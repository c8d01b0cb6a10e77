import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

const ERRORS = {
  1112: 'our-credential',
  1113: 'our-quota',
  1211: 'unknown-model',
  1261: 'context-too-long',
  1301: 'content-policy',
  1309: 'our-quota',
} as const

/**
 * Z.ai: chat completions of GLM, messages, forwarded unchanged, and the live model list.
 *
 * The output limit is `max_tokens`. The role `developer` is sent as `system`. Reasoning is in `reasoning_content`, in
 * responses and in requests. Errors have numeric codes; an exhausted quota has the status of a rate limit, rejected
 * content the status of a bad request.
 *
 * @see https://docs.z.ai/api-reference/llm/chat-completion
 * @see https://docs.z.ai/api-reference/api-code
 * @see https://docs.z.ai/devpack/tool/claude
 */
export const zai = openAICompatible({
  id: 'zai',
  title: 'Z.ai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  env: { apiKey: ['ZHIPU_API_KEY'] },
  messages: '/api/anthropic/v1/messages',
  rename: { max_completion_tokens: 'max_tokens' },
  systemOnly: true,
  facts: { reasoning: 'reasoning_content' },
  errors: ERRORS,
  known: models,
})
