import { testProvider } from '@headgate/conformance'
import { deepseek } from '../src/index.ts'

testProvider(deepseek, {
  config: { apiKey: 'heron.of.deepseek' },
  model: 'deepseek-v4-flash-test',
  upstream: {
    format: 'chat-completions',
    path: '/chat/completions',
    models: '/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.deepseek' },
    refuses: ['max_completion_tokens'],
  },
  also: [
    {
      format: 'messages',
      path: '/anthropic/v1/messages',
      forward: ['anthropic-version', 'anthropic-beta'],
      refuses: [],
    },
    // Written from https://api-docs.deepseek.com/guides/responses_api
    { format: 'responses', path: '/responses', refuses: [] },
  ],
})
