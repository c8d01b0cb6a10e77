import { guardModerations, testProvider } from '@headgate/conformance'
import { openrouter } from '../src/index.ts'

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
  moderations: guardModerations({
    model: 'meta-llama/llama-guard-4-12b',
    path: '/api/v1/chat/completions',
    otherModel: 'test-model',
  }),
})
