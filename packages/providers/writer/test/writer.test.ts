import { testProvider } from '@headgate/conformance'
import { writer } from '../src/index.ts'

testProvider(writer, {
  config: { apiKey: 'heron.of.writer' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat',
    models: { path: '/v1/models', write: (ids) => ({ models: ids.map((id) => ({ id, name: id })) }) },
    credential: { header: 'authorization', value: 'Bearer heron.of.writer' },
    refuses: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'seed', 'top_logprobs', 'max_completion_tokens'],
  },
})
