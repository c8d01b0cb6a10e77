import { testProvider } from '@headgate/conformance'
import { recraft } from '../src/index.ts'
import { images } from './images-vendor.ts'

testProvider(recraft, {
  config: { apiKey: 'test-key-of-recraft' },
  upstream: { credential: { header: 'authorization', value: 'Bearer test-key-of-recraft' } },
  images,
})
