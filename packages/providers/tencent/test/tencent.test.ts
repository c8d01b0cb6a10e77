import { testProvider } from '@headgate/conformance'
import { tencent } from '../src/index.ts'

testProvider(tencent, {
  config: { apiKey: 'heron.of.tencent' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.tencent' },
  },
})
