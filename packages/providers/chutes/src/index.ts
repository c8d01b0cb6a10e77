import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Chutes: chat completions, and the live list of models.
 *
 * Where reasoning stands depends on the model's own server: in `reasoning_content`, or within `<think>` in the text.
 *
 * @see https://chutes.ai/docs
 */
export const chutes = openAICompatible({
  id: 'chutes',
  title: 'Chutes',
  baseUrl: 'https://llm.chutes.ai/v1',
  known: models,
})
