import { testProvider } from '@headgate/conformance'
import { mistral } from '../src/index.ts'

testProvider(mistral, {
  config: { apiKey: 'test-key-of-mistral' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer test-key-of-mistral' },
    refuses: ['logit_bias', 'service_tier', 'verbosity'],
  },
  embeddings: { model: 'mistral-embed', path: '/v1/embeddings', format: 'embeddings' },
})
