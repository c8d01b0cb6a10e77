import { guardModerations } from '@headgate/conformance'

export const moderations = guardModerations({
  model: 'accounts/fireworks/models/llama-guard-3-8b',
  path: '/inference/v1/chat/completions',
  otherModel: 'test-model',
})
