import { testProvider } from '@headgate/conformance'
import { together } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { moderations } from './moderations-vendor.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'

testProvider(together, {
  config: { apiKey: 'heron.of.together' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: {
      path: '/v1/models',
      write: (ids) => ({ data: ids.map((id) => ({ id, object: 'model', type: 'chat' })) }),
    },
    credential: { header: 'authorization', value: 'Bearer heron.of.together' },
  },
  rerank: { model: 'Salesforce/Llama-Rank-V1', path: '/v1/rerank' },
  transcription,
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
  moderations,
  speech,
  images,
})
