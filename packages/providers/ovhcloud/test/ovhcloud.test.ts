import { testProvider } from '@headgate/conformance'
import { ovhcloud } from '../src/index.ts'

testProvider(ovhcloud, {
  config: { apiKey: 'heron.of.ovhcloud' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.ovhcloud' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
