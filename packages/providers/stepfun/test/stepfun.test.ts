import { testProvider } from '@headgate/conformance'
import { stepfun } from '../src/index.ts'

testProvider(stepfun, {
  config: { apiKey: 'heron.of.stepfun' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.stepfun' },
    refuses: ['max_completion_tokens'],
  },
})
