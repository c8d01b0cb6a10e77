import { testProvider } from '@headgate/conformance'
import { lmstudio } from '../src/index.ts'

testProvider(lmstudio, {
  config: { apiKey: 'heron.of.lmstudio', responses: true },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.lmstudio' },
    refuses: ['max_completion_tokens'],
  },
  // Written from https://lmstudio.ai/docs/developer/openai-compat/responses
  also: [{ format: 'responses', path: '/v1/responses', refuses: [] }],
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
