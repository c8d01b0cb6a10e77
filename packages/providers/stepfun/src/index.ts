import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * StepFun: chat completions of Step, and the live list of models.
 *
 * Limits the output by `max_tokens`. Reasoning stands in `reasoning`, unless `reasoning_format` says
 * `deepseek-style`: then in `reasoning_content`. Its list has models of pictures and speech, which are left out.
 *
 * @see https://platform.stepfun.com/docs/zh/api-reference/chat/chat-completion-create
 */
export const stepfun = openAICompatible({
  id: 'stepfun',
  title: 'StepFun',
  baseUrl: 'https://api.stepfun.com/v1',
  claims: [/^step-\d/],
  rename: { max_completion_tokens: 'max_tokens' },
  elsewhere: /tts|asr|image|audio|step-1x/,
  known: models,
})
