import { testProvider } from '@headgate/conformance'
import { cartesia } from '../src/index.ts'
import { speech } from './speech-vendor.ts'

testProvider(cartesia, {
  config: { apiKey: 'test-key-of-cartesia' },
  upstream: {
    credential: { header: 'authorization', value: 'Bearer test-key-of-cartesia' },
    headers: { 'cartesia-version': '2026-03-01' },
  },
  speech,
})
