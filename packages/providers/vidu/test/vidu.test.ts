import { testProvider } from '@headgate/conformance'
import { vidu } from '../src/index.ts'
import { vendor } from './vendor.ts'

testProvider(vidu, {
  config: { apiKey: 'zebra.of.the.vidu' },
  upstream: { credential: { header: 'authorization', value: 'Token zebra.of.the.vidu' } },
  video: vendor,
})
