import { testProvider } from '@headgate/conformance'
import { google } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { speech } from './speech-vendor.ts'
import { vendor } from './vendor.ts'

testProvider(google, {
  config: { apiKey: 'zebra.of.the.gemini' },
  model: 'gemini-3.5-flash',
  upstream: {
    format: 'generate-content',
    path: {
      whole: '/v1beta/models/{model}:generateContent',
      stream: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
    },
    credential: { header: 'x-goog-api-key', value: 'zebra.of.the.gemini' },
    models: '/v1beta/models',
  },
  embeddings: {
    model: 'gemini-embedding-001',
    format: 'batch-embed-contents',
    path: ['/v1beta/models/{model}:batchEmbedContents', '/v1beta/models/{model}:embedContent'],
    batch: 100,
  },
  video: vendor,
  speech,
  images,
})
