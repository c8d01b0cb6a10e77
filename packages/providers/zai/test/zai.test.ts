import { testProvider } from '@headgate/conformance'
import { zai } from '../src/index.ts'

testProvider(zai, {
  config: { apiKey: 'heron.of.zai' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/api/paas/v4/chat/completions',
    models: '/api/paas/v4/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.zai' },
    refuses: ['max_completion_tokens'],
  },
  also: [
    {
      format: 'messages',
      path: '/api/anthropic/v1/messages',
      forward: ['anthropic-version', 'anthropic-beta'],
      refuses: [],
    },
  ],
})
