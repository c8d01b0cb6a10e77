import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Writer: chat completions of Palmyra, and the live list of models.
 *
 * Chat completions are asked for at `/chat`. Limits the output by `max_tokens`, does not know the role `developer`,
 * which goes up as `system`, and has no field for penalties, `logit_bias`, `seed` and `top_logprobs`, which are left
 * out.
 * Every chunk of a stream says its piece twice, in `delta` and in `message`. The list of models stands in `models`.
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
