import { testProvider } from '@headgate/conformance'
import { scaleway } from '../src/index.ts'

testProvider(scaleway, {
  config: { apiKey: 'heron.of.scaleway' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.scaleway' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
