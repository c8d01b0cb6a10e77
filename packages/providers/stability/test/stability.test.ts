import { testProvider } from '@headgate/conformance'
import { stability } from '../src/index.ts'

testProvider(stability, {
  config: { apiKey: 'test-key-of-stability' },
  upstream: { credential: { header: 'authorization', value: 'Bearer test-key-of-stability' } },
})
