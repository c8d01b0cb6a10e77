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
 * Z.ai: chat completions of GLM, messages as they are, and the live list of models.
 *
 * Limits the output by `max_tokens`, and does not know the role `developer`, which goes up as `system`. Reasoning
 * stands in `reasoning_content`, and is taken back there.
 * Errors have numbers as codes: a used-up account comes with the status of a limit, and content that is refused with
 * that of a bad request.
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
