import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Mistral AI: chat completions and embeddings.
 *
 * Fields that it does not know are refused. What a model thinks is a chunk of the content.
 *
 * @see https://docs.mistral.ai/api
 */
export const mistral = openAICompatible({
  id: 'mistral',
  title: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  claims: [/^(?:mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|open-mi)/],
  drop: ['logit_bias', 'logprobs', 'top_logprobs', 'user', 'store', 'service_tier', 'verbosity', 'stream_options', 'safety_identifier'],
  rename: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
  facts: { usageInStream: 'always', reasoning: 'reasoning_content', prefix: 'prefix' },
  thoughtChunks: 'thinking',
  embeddings: { tokens: false },
  known: models,
})
