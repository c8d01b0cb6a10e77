import { testProvider } from '@headgate/conformance'
import { stability } from '../src/index.ts'
import { images } from './images-vendor.ts'

testProvider(stability, {
  config: { apiKey: 'test-key-of-stability' },
  upstream: { credential: { header: 'authorization', value: 'Bearer test-key-of-stability' } },
  images,
})
