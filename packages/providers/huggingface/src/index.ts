import { chatCompletionsLimits, openAICompatible } from '@headgate/core/openai-compatible'
import { IETF_LIMITS } from '@headgate/core/provider'
import { models } from './models.ts'

/**
 * Hugging Face: chat completions and responses of many providers behind one router, and the live model list.
 *
 * A model is `<owner>/<model>`; the suffix `:<provider>`, `:cheapest` or `:fastest` selects the provider. The price
 * depends on the provider and is unknown. Responses are not stored: requests with `store` are translated. The place of
 * reasoning depends on the provider: `<think>`, `reasoning` or `reasoning_content`.
 *
 * @see https://huggingface.co/docs/inference-providers/index
 * @see https://huggingface.co/docs/inference-providers/tasks/chat-completion
 * @see https://huggingface.co/docs/inference-providers/guides/responses-api
 * @see https://github.com/huggingface/responses.js
 * @see https://huggingface.co/docs/hub/rate-limits
 */
export const huggingface = openAICompatible({
  id: 'huggingface',
  title: 'Hugging Face',
  baseUrl: 'https://router.huggingface.co/v1',
  env: { apiKey: ['HF_TOKEN'] },
  responses: { storesResponses: false },
  known: models,
  limitHeaders: [...IETF_LIMITS, ...chatCompletionsLimits('duration')],
})
