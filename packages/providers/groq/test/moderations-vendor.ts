import { guardModerations } from '@headgate/conformance'

export const moderations = guardModerations({
  model: 'openai/gpt-oss-safeguard-20b',
  path: '/openai/v1/chat/completions',
  otherModel: 'test-model',
})
