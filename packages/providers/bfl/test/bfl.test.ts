import { testProvider } from '@headgate/conformance'
import { bfl } from '../src/index.ts'
import { images } from './images-vendor.ts'

testProvider(bfl, {
  config: { apiKey: 'test-key-of-bfl' },
  upstream: { credential: { header: 'x-key', value: 'test-key-of-bfl' } },
  images,
})
