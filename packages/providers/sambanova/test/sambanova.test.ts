import { testProvider } from '@headgate/conformance'
import { sambanova } from '../src/index.ts'

testProvider(sambanova, {
  config: { apiKey: 'heron.of.sambanova' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.sambanova' },
    refuses: [
      'frequency_penalty',
      'presence_penalty',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'n',
      'seed',
      'max_completion_tokens',
    ],
  },
  also: [{ format: 'messages', path: '/v1/messages', forward: ['anthropic-version', 'anthropic-beta'], refuses: [] }],
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
