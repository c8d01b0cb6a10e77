import { testProvider } from '@headgate/conformance'
import { fireworks } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { moderations } from './moderations-vendor.ts'
import { transcription } from './transcription-vendor.ts'
import { rerank } from './vendor.ts'

testProvider(fireworks, {
  config: { apiKey: 'heron.of.fireworks' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/inference/v1/chat/completions',
    models: '/inference/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.fireworks' },
  },
  also: [
    // Written from https://docs.fireworks.ai/guides/response-api
    { format: 'responses', path: '/inference/v1/responses' },
    { format: 'messages', path: '/inference/v1/messages', forward: ['anthropic-version', 'anthropic-beta'] },
  ],
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/inference/v1/embeddings', tokens: true },
  rerank,
  transcription,
  moderations,
  images,
})
