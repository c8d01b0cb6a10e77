import { testProvider } from '@headgate/conformance'
import { ideogram } from '../src/index.ts'
import { images } from './images-vendor.ts'

testProvider(ideogram, {
  config: { apiKey: 'test-key-of-ideogram' },
  upstream: { credential: { header: 'api-key', value: 'test-key-of-ideogram' } },
  images,
})
