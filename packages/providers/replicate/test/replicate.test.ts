import { testProvider } from '@headgate/conformance'
import { replicate } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { vendor } from './vendor.ts'

testProvider(replicate, {
  config: { apiKey: 'otter.in.the.reeds' },
  upstream: { credential: { header: 'authorization', value: 'Bearer otter.in.the.reeds' } },
  video: vendor,
  images,
})
