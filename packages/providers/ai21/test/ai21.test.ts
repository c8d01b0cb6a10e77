import { testProvider } from '@headgate/conformance'
import { ai21 } from '../src/index.ts'

testProvider(ai21, {
  config: { apiKey: 'heron.of.ai21' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/studio/v1/chat/completions',
    credential: { header: 'authorization', value: 'Bearer heron.of.ai21' },
    refuses: ['logit_bias', 'logprobs', 'top_logprobs', 'seed', 'max_completion_tokens'],
  },
})
