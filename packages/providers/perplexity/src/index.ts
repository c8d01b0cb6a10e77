import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Perplexity: chat completions of Sonar, with search.
 *
 * The model list. The output limit is `max_tokens`. The role `developer` is sent as `system`. Every chunk of a
 * stream reports usage. Search results are next to the choices, in `citations` and `search_results`. A request costs
 * more than its tokens, depending on its searches: the price is unknown.
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
