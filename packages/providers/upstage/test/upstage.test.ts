import { testProvider } from '@headgate/conformance'
import { upstage } from '../src/index.ts'

testProvider(upstage, {
  config: { apiKey: 'heron.of.upstage' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    credential: { header: 'authorization', value: 'Bearer heron.of.upstage' },
    refuses: ['max_completion_tokens'],
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true, batch: 100 },
})
