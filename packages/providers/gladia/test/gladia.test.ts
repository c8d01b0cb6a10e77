import { testProvider } from '@headgate/conformance'
import { gladia } from '../src/index.ts'
import { transcription } from './transcription-vendor.ts'

testProvider(gladia, {
  config: { apiKey: 'test-key-of-gladia' },
  upstream: { credential: { header: 'x-gladia-key', value: 'test-key-of-gladia' } },
  transcription,
})
