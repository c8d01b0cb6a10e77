import { testProvider } from '@headgate/conformance'
import { hyperbolic } from '../src/index.ts'

testProvider(hyperbolic, {
  config: { apiKey: 'heron.of.hyperbolic' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.hyperbolic' },
    refuses: ['max_completion_tokens'],
  },
})
