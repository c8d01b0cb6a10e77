import { testProvider } from '@headgate/conformance'
import { runway } from '../src/index.ts'
import { vendor } from './vendor.ts'

testProvider(runway, {
  config: { apiKey: 'zebra.of.the.runway' },
  upstream: {
    credential: { header: 'authorization', value: 'Bearer zebra.of.the.runway' },
    headers: { 'x-runway-version': '2024-11-06' },
  },
  video: vendor,
})
