import { testProvider } from '@headgate/conformance'
import { featherless } from '../src/index.ts'

testProvider(featherless, {
  config: { apiKey: 'heron.of.featherless' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.featherless' },
  },
})
