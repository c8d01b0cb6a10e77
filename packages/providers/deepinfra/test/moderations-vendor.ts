import { guardModerations } from '@headgate/conformance'

export const moderations = guardModerations({
  model: 'meta-llama/Llama-Guard-4-12B',
  path: '/v1/openai/chat/completions',
  otherModel: 'test-model',
})
