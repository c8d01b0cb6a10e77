import { testProvider } from '@headgate/conformance'
import { anthropic } from '../src/index.ts'

testProvider(anthropic, {
  config: { apiKey: 'zebra.of.the.south' },
  model: 'claude-sonnet-4-6',
  upstream: {
    format: 'messages',
    path: '/v1/messages',
    models: '/v1/models',
    credential: { header: 'x-api-key', value: 'zebra.of.the.south' },
    headers: { 'anthropic-version': '2023-06-01' },
    forward: ['anthropic-beta'],
  },
})
