import { testProvider } from '@headgate/conformance'
import { reka } from '../src/index.ts'

testProvider(reka, {
  config: { apiKey: 'heron.of.reka' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.reka' },
  },
})
