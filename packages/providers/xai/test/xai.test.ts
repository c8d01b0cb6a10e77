import { testProvider } from '@headgate/conformance'
import { xai } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'
import { vendor } from './vendor.ts'

testProvider(xai, {
  config: { apiKey: 'zebra.of.the.grok' },
  model: 'grok-4.6',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer zebra.of.the.grok' },
    lacks: ['pdf'],
  },
  // Written from https://docs.x.ai/developers/model-capabilities/text/comparison
  also: [{ format: 'responses', path: '/v1/responses', lacks: [] }],
  video: vendor,
  transcription,
  speech,
  images,
})
