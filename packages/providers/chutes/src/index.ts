import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Chutes: chat completions, and the live model list.
 *
 * The place of reasoning depends on the model's server: `reasoning_content`, or `<think>` in the text.
 *
 * @see https://chutes.ai/docs
 */
export const chutes = openAICompatible({
  id: 'chutes',
  title: 'Chutes',
  baseUrl: 'https://llm.chutes.ai/v1',
  known: models,
})
