import { guardModerations } from '@headgate/conformance'

export const moderations = guardModerations({
  model: 'llama-guard3:8b',
  path: '/v1/chat/completions',
  otherModel: 'test-model',
})
