import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Writer: chat completions of Palmyra, and the live model list.
 *
 * The path of chat completions is `/chat`. The output limit is `max_tokens`. The role `developer` is sent as `system`.
 * Penalties, `logit_bias`, `seed` and `top_logprobs` have no field and are dropped. Every chunk of a stream has its
 * content twice, in `delta` and in `message`. The model list is in `models`.
 *
 * @see https://dev.writer.com/api-reference/completion-api/chat-completion
 * @see https://dev.writer.com/api-reference/completion-api/list-models
 */
export const writer = openAICompatible({
  id: 'writer',
  title: 'Writer',
  baseUrl: 'https://api.writer.com/v1',
  claims: [/^palmyra-/],
  path: '/chat',
  rename: { max_completion_tokens: 'max_tokens' },
  drop: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'seed', 'top_logprobs'],
  systemOnly: true,
})
