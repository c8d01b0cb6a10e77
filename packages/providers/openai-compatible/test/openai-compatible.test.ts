import { testProvider } from '@headgate/conformance'
import { openaiCompatible } from '../src/index.ts'

testProvider(openaiCompatible, {
  config: { baseUrl: 'http://127.0.0.1/v1' },
  model: 'llama-4',
  upstream: { format: 'chat-completions', path: '/v1/chat/completions', models: '/v1/models' },
  embeddings: { model: 'nomic-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
})
