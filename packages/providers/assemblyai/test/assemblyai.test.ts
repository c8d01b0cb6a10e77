import { testProvider } from '@headgate/conformance'
import { assemblyai } from '../src/index.ts'
import { transcription } from './transcription-vendor.ts'

testProvider(assemblyai, {
  config: { apiKey: 'test-key-of-assemblyai' },
  upstream: { credential: { header: 'authorization', value: 'test-key-of-assemblyai' } },
  transcription,
})
