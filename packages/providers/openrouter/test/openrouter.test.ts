import { testProvider } from '@headgate/conformance'
import { openrouter } from '../src/index.ts'
import { moderations } from './moderations-vendor.ts'

testProvider(openrouter, {
  config: { apiKey: 'heron.of.openrouter' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/api/v1/chat/completions',
    models: '/api/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.openrouter' },
  },
  // Written from https://openrouter.ai/docs/api/api-reference/responses/create-responses
  also: [{ format: 'responses', path: '/api/v1/responses' }],
  rerank: { model: 'test-rank', path: '/api/v1/rerank' },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/api/v1/embeddings', tokens: true },
  moderations,
})
