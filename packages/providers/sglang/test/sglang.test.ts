import { testProvider } from '@headgate/conformance'
import { sglang } from '../src/index.ts'

testProvider(sglang, {
  config: { apiKey: 'heron.of.sglang' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.sglang' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
