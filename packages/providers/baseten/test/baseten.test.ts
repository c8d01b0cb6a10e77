import { testProvider } from '@headgate/conformance'
import { baseten } from '../src/index.ts'

testProvider(baseten, {
  config: { apiKey: 'heron.of.baseten' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.baseten' },
  },
})
