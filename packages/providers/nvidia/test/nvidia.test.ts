import { testProvider } from '@headgate/conformance'
import { nvidia } from '../src/index.ts'

testProvider(nvidia, {
  config: { apiKey: 'heron.of.nvidia' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.nvidia' },
    refuses: ['max_completion_tokens'],
  },
  embeddings: {
    model: 'test-embed',
    format: 'embeddings',
    path: '/v1/embeddings',
    tokens: true,
    inputTypes: { query: 'query', document: 'passage' },
  },
})
