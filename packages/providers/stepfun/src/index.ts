import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * StepFun: chat completions of Step, and the live model list.
 *
 * The output limit is `max_tokens`. Reasoning is in `reasoning`; with the `reasoning_format` `deepseek-style`, in
 * `reasoning_content`. Image and speech models of its list are ignored.
 *
 * @see https://platform.stepfun.com/docs/zh/api-reference/chat/chat-completion-create
 */
export const stepfun = openAICompatible({
  id: 'stepfun',
  title: 'StepFun',
  baseUrl: 'https://api.stepfun.com/v1',
  claims: [/^step-\d/],
  rename: { max_completion_tokens: 'max_tokens' },
  ignoreModels: /tts|asr|image|audio|step-1x/,
  known: models,
})
