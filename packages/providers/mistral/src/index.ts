import { openAICompatible } from '@headgate/core/openai-compatible'
import { ACCEPTED } from './accepted.ts'
import { models } from './models.ts'
import { moderations } from './moderations.ts'
import { ownForms } from './request.ts'
import { speakers, speech } from './speech.ts'
import { transcribers, transcription } from './transcription.ts'

/**
 * Mistral AI: chat completions, embeddings and moderations.
 *
 * Unknown fields are rejected by the vendor, also in messages. Documents and audio have vendor-specific shapes.
 * Reasoning is a chunk of the content, and is either on or off: `reasoning_effort` has two values.
 *
 * @see https://docs.mistral.ai/api
 * @see https://docs.mistral.ai/capabilities/reasoning
 * @see https://docs.mistral.ai/deployment/ai-studio/tier
 */
export const mistral = openAICompatible({
  id: 'mistral',
  title: 'Mistral AI',
  genAiName: 'mistral_ai',
  baseUrl: 'https://api.mistral.ai/v1',
  claims: [/^(?:mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|open-mi)/],
  accepts: ACCEPTED,
  replace: { reasoning_effort: { minimal: 'none', low: 'high', medium: 'high', xhigh: 'high', max: 'high' } },
  rename: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
  patchRequest: ownForms,
  systemOnly: true,
  facts: { usageInStream: 'always', reasoning: 'reasoning_content', prefix: 'prefix' },
  thoughtChunks: 'thinking',
  embeddings: { tokens: false, rename: { dimensions: 'output_dimension' } },
  moderations,
  speech,
  transcription,
  known: [...models, ...transcribers, ...speakers],
  limitHeaders: [
    { unit: 'requests', remaining: 'x-ratelimit-remaining-req-10-second', windowMs: 10_000 },
    { unit: 'requests', remaining: 'x-ratelimit-remaining-req-minute', windowMs: 60_000 },
    { unit: 'tokens', remaining: 'x-ratelimit-remaining-tokens-minute', windowMs: 60_000 },
    { unit: 'tokens', remaining: 'x-ratelimit-remaining-tokens-month', windowMs: 30 * 86_400_000 },
  ],
})
