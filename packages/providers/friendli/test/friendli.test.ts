import { testProvider } from '@headgate/conformance'
import { friendli } from '../src/index.ts'

testProvider(friendli, {
  config: { apiKey: 'heron.of.friendli' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/serverless/v1/chat/completions',
    models: '/serverless/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.friendli' },
  },
})
