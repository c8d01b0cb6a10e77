import { guardModerations } from '@headgate/conformance'

export const moderations = guardModerations({
  model: 'meta-llama/llama-guard-4-12b',
  path: '/api/v1/chat/completions',
  otherModel: 'test-model',
})
