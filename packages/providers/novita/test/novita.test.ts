import { testProvider } from '@headgate/conformance'
import { novita } from '../src/index.ts'

testProvider(novita, {
  config: { apiKey: 'heron.of.novita' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/openai/v1/chat/completions',
    models: '/openai/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.novita' },
    refuses: ['max_completion_tokens'],
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/openai/v1/embeddings', tokens: true },
  rerank: { model: 'test-rank', path: '/openai/v1/rerank' },
})
