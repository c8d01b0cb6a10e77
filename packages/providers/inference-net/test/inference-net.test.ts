import { testProvider } from '@headgate/conformance'
import { inferenceNet } from '../src/index.ts'

testProvider(inferenceNet, {
  config: { apiKey: 'heron.of.inference-net' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.inference-net' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
