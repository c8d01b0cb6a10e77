import { testProvider } from '@headgate/conformance'
import { cerebras } from '../src/index.ts'

testProvider(cerebras, {
  config: { apiKey: 'heron.of.cerebras' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.cerebras' },
    refuses: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier', 'store'],
  },
})
