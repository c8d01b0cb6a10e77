import { testProvider } from '@headgate/conformance'
import { moonshot } from '../src/index.ts'

testProvider(moonshot, {
  config: { apiKey: 'heron.of.moonshot' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.moonshot' },
  },
  also: [{ format: 'messages', path: '/anthropic/v1/messages', forward: ['anthropic-version', 'anthropic-beta'] }],
})
