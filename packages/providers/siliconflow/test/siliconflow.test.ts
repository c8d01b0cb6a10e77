import { testProvider } from '@headgate/conformance'
import { siliconflow } from '../src/index.ts'
import { rerank } from './vendor.ts'

testProvider(siliconflow, {
  config: { apiKey: 'heron.of.siliconflow' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.siliconflow' },
    refuses: ['max_completion_tokens'],
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
  rerank,
})
