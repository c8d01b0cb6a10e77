import { testProvider } from '@headgate/conformance'
import { openai } from '../src/index.ts'

testProvider(openai, {
  config: { apiKey: 'zebra.of.the.east', organization: 'org-1' },
  model: 'gpt-5',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer zebra.of.the.east' },
    headers: { 'openai-organization': 'org-1' },
  },
  embeddings: { model: 'text-embedding-3-small', format: 'embeddings', path: '/v1/embeddings', batch: 2048, tokens: true },
})
