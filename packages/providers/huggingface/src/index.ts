import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Hugging Face: chat completions and responses of many providers behind one router, and the live list of models.
 *
 * A model is `<owner>/<model>`, and `:<provider>`, `:cheapest` or `:fastest` after it says who serves it. What a
 * request costs depends on that: prices are not known.
 * It keeps no answers of the responses format: those that are to be kept are translated.
 * Reasoning stands where the provider leaves it: within `<think>`, in `reasoning` or in `reasoning_content`.
 *
 * @see https://huggingface.co/docs/inference-providers/index
 * @see https://huggingface.co/docs/inference-providers/tasks/chat-completion
 * @see https://huggingface.co/docs/inference-providers/guides/responses-api
 * @see https://github.com/huggingface/responses.js
 */
export const huggingface = openAICompatible({
  id: 'huggingface',
  title: 'Hugging Face',
  baseUrl: 'https://router.huggingface.co/v1',
  env: { apiKey: ['HF_TOKEN'] },
  responses: { keepsAnswers: false },
  known: models,
})
