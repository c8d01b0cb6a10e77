import { testProvider } from '@headgate/conformance'
import { deepgram } from '../src/index.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'

testProvider(deepgram, {
  config: { apiKey: 'test-key-of-deepgram' },
  upstream: { credential: { header: 'authorization', value: 'Token test-key-of-deepgram' } },
  transcription,
  speech,
})
