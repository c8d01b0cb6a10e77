import { testProvider } from '@headgate/conformance'
import { baidu } from '../src/index.ts'

testProvider(baidu, {
  config: { apiKey: 'heron.of.baidu' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v2/chat/completions',
    models: '/v2/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.baidu' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v2/embeddings', tokens: true },
})
