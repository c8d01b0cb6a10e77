import { testProvider } from '@headgate/conformance'
import { voyage } from '../src/index.ts'
import { embeddings, rerank } from './vendor.ts'

testProvider(voyage, {
  config: { apiKey: 'test-key-of-voyage' },
  upstream: { credential: { header: 'authorization', value: 'Bearer test-key-of-voyage' } },
  embeddings,
  rerank,
})
