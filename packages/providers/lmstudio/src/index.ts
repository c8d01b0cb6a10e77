import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * LM Studio: chat completions and embeddings of a server of your own, and its list of models.
 *
 * Limits the output by `max_tokens`. Reasoning stands in the text, or in `reasoning` or `reasoning_content` by its
 * settings.
 *
 * @see https://lmstudio.ai/docs/developer/openai-compat/chat-completions
 */
export const lmstudio = openAICompatible({
  id: 'lmstudio',
  title: 'LM Studio',
  baseUrl: 'http://127.0.0.1:1234/v1',
  ownServer: true,
  embeddings: true,
  rename: { max_completion_tokens: 'max_tokens' },
})
