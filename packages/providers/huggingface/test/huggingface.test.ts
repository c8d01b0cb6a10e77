import { testProvider } from '@headgate/conformance'
import { huggingface } from '../src/index.ts'

testProvider(huggingface, {
  config: { apiKey: 'heron.of.huggingface' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.huggingface' },
  },
  // Written from https://huggingface.co/docs/inference-providers/guides/responses-api
  also: [{ format: 'responses', path: '/v1/responses' }],
})
