import { testProvider } from '@headgate/conformance'
import { fal } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { vendor } from './vendor.ts'

testProvider(fal, {
  config: { apiKey: 'otter.in.the.reeds' },
  upstream: { credential: { header: 'authorization', value: 'Key otter.in.the.reeds' } },
  video: vendor,
  images,
})
