import { testProvider } from '@headgate/conformance'
import { nebius } from '../src/index.ts'

testProvider(nebius, {
  config: { apiKey: 'heron.of.nebius' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.nebius' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
