import { testProvider } from '@headgate/conformance'
import { vercel } from '../src/index.ts'

testProvider(vercel, {
  config: { apiKey: 'heron.of.vercel' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: {
      path: '/v1/models',
      write: (ids) => ({ data: ids.map((id) => ({ id, object: 'model', type: 'language' })) }),
    },
    credential: { header: 'authorization', value: 'Bearer heron.of.vercel' },
  },
  also: [
    // Written from https://vercel.com/docs/ai-gateway/sdks-and-apis/responses
    { format: 'responses', path: '/v1/responses' },
    { format: 'messages', path: '/v1/messages', forward: ['anthropic-version', 'anthropic-beta'] },
  ],
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
