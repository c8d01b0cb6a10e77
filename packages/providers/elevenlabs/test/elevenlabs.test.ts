import { testProvider } from '@headgate/conformance'
import { elevenlabs } from '../src/index.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'

testProvider(elevenlabs, {
  config: { apiKey: 'test-key-of-elevenlabs' },
  upstream: { credential: { header: 'xi-api-key', value: 'test-key-of-elevenlabs' } },
  transcription,
  speech,
})
