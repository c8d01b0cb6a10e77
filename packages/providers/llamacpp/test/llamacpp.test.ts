import { testProvider } from '@headgate/conformance'
import { llamacpp } from '../src/index.ts'

testProvider(llamacpp, {
  config: { apiKey: 'heron.of.llamacpp' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.llamacpp' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
  rerank: { model: 'test-rank', path: '/v1/rerank' },
})
