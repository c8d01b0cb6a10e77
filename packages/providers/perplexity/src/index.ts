import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Perplexity: chat completions of Sonar, which searches.
 *
 * There is no list of models. Limits the output by `max_tokens`, does not know the role `developer`, which goes up as
 * `system`, and every chunk of a stream reports usage.
 * What was found stands beside the choices, in `citations` and `search_results`. A request costs more than its
 * tokens, by how much it searches: its price is not known.
 *
 * @see https://docs.perplexity.ai/api-reference/chat-completions-post
 * @see https://docs.perplexity.ai/docs/sonar/openai-compatibility
 */
export const perplexity = openAICompatible({
  id: 'perplexity',
  title: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  claims: [/^sonar(-(pro|reasoning|reasoning-pro|deep-research))?$/],
  rename: { max_completion_tokens: 'max_tokens' },
  systemOnly: true,
  facts: { usageInStream: 'always' },
  models: false,
  known: models,
})
