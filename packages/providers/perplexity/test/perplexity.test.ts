import { testProvider } from '@headgate/conformance'
import { perplexity } from '../src/index.ts'

testProvider(perplexity, {
  config: { apiKey: 'heron.of.perplexity' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/chat/completions',
    credential: { header: 'authorization', value: 'Bearer heron.of.perplexity' },
    refuses: ['max_completion_tokens'],
  },
})
