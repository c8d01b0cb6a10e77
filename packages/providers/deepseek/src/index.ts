import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * DeepSeek: chat completions, messages and responses, forwarded unchanged, and the live model list.
 *
 * The output limit is `max_tokens`. The role `developer` is sent as `system`. With reasoning, `temperature`, `top_p`
 * and penalties have no effect. Reasoning is in `reasoning_content`, in responses and in requests; with tool calls,
 * requests must contain it. Cached tokens are in `prompt_cache_hit_tokens`. Only `deepseek-v4-flash` is documented to
 * support responses. Responses are not stored: requests with `store` are translated.
 *
 * @see https://api-docs.deepseek.com/api/create-chat-completion
 * @see https://api-docs.deepseek.com/guides/thinking_mode
 * @see https://api-docs.deepseek.com/guides/anthropic_api
 * @see https://api-docs.deepseek.com/guides/responses_api
 * @see https://api-docs.deepseek.com/guides/kv_cache
 */
export const deepseek = openAICompatible({
  id: 'deepseek',
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  claims: [/^deepseek-(chat|reasoner|flash)$/],
  messages: '/anthropic/v1/messages',
  responses: { storesResponses: false, speaks: (model) => model.startsWith('deepseek-v4-flash') },
  rename: { max_completion_tokens: 'max_tokens' },
  systemOnly: true,
  facts: { reasoning: 'reasoning_content' },
  promptCache: { lifetimeMs: 7_200_000 },
  known: models,
})
