import { guardModerations } from '@headgate/conformance'

export const moderations = guardModerations({
  model: 'meta-llama/Llama-Guard-3-8B',
  path: '/v1/chat/completions',
  otherModel: 'test-model',
})
