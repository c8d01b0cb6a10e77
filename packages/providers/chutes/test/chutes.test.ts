import { testProvider } from '@headgate/conformance'
import { chutes } from '../src/index.ts'

testProvider(chutes, {
  config: { apiKey: 'heron.of.chutes' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.chutes' },
  },
})
