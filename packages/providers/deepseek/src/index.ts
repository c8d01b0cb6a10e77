import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * DeepSeek: chat completions, messages and responses as they are, and the live list of models.
 *
 * Limits the output by `max_tokens`, and does not know the role `developer`, which goes up as `system`. While it
 * thinks, `temperature`, `top_p` and penalties have no effect.
 * Reasoning stands in `reasoning_content` and is taken back there, which calls of tools need while it thinks. What
 * was read from the cache is `prompt_cache_hit_tokens`.
 * Of its models `deepseek-v4-flash` is documented to speak responses; it keeps no answers: those that are to be kept
 * are translated.
 *
 * @see https://api-docs.deepseek.com/api/create-chat-completion
 * @see https://api-docs.deepseek.com/guides/thinking_mode
 * @see https://api-docs.deepseek.com/guides/anthropic_api
 * @see https://api-docs.deepseek.com/guides/responses_api
 */
export const deepseek = openAICompatible({
  id: 'deepseek',
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  claims: [/^deepseek-(chat|reasoner|flash)$/],
  messages: '/anthropic/v1/messages',
  responses: { keepsAnswers: false, speaks: (model) => model.startsWith('deepseek-v4-flash') },
  rename: { max_completion_tokens: 'max_tokens' },
  systemOnly: true,
  facts: { reasoning: 'reasoning_content' },
  known: models,
})
