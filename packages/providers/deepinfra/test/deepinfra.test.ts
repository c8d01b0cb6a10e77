import { testProvider } from '@headgate/conformance'
import { deepinfra } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { moderations } from './moderations-vendor.ts'
import { speech } from './speech-vendor.ts'

testProvider(deepinfra, {
  config: { apiKey: 'heron.of.deepinfra' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/openai/chat/completions',
    models: '/v1/openai/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.deepinfra' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/openai/embeddings', tokens: true },
  moderations,
  speech,
  images,
})
