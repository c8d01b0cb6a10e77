import { testProvider } from '@headgate/conformance'
import { jina } from '../src/index.ts'
import { embeddings } from './vendor.ts'

testProvider(jina, {
  config: { apiKey: 'test-key-of-jina' },
  upstream: { credential: { header: 'authorization', value: 'Bearer test-key-of-jina' } },
  embeddings,
  rerank: { model: 'jina-reranker-v3', path: '/v1/rerank' },
})
