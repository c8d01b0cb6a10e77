import { testProvider } from '@headgate/conformance'
import { cohere } from '../src/index.ts'
import { embeddings, errorFrame, read, rerank, write } from './vendor.ts'

testProvider(cohere, {
  config: { apiKey: 'test-key-of-cohere' },
  model: 'command-a-reasoning-08-2025',
  upstream: {
    path: '/v2/chat',
    models: {
      path: '/v1/models',
      write: (ids) => ({
        models: ids.map((name) => ({ name, endpoints: ['chat'], context_length: 256_000 })),
        next_page_token: '',
      }),
    },
    credential: { header: 'authorization', value: 'Bearer test-key-of-cohere' },
    read,
    write,
    errorFrame,
    lacks: ['pdf'],
  },
  embeddings,
  rerank,
})
