import { testProvider } from '@headgate/conformance'
import { vertex } from '../src/index.ts'
import { keyFile, TOKEN, tokens } from './account.ts'
import { images } from './images-vendor.ts'
import { embeddings, HOME, vendor } from './vendor.ts'

const config = { project: 'p', location: 'us-central1', key: keyFile() }
const credential = tokens(TOKEN)
/** Where a publisher's models are asked. */
const path = (publisher: string, whole: string, stream: string) => ({
  whole: `${HOME}/publishers/${publisher}/models/{model}:${whole}`,
  stream: `${HOME}/publishers/${publisher}/models/{model}:${stream}`,
})

testProvider(vertex, {
  config,
  model: 'gemini-3.5-flash',
  upstream: {
    format: 'generate-content',
    path: path('google', 'generateContent', 'streamGenerateContent?alt=sse'),
    credential,
  },
  embeddings,
  video: vendor,
  images,
})

testProvider(vertex, {
  config,
  model: 'claude-sonnet-4-5@20250929',
  upstream: { format: 'messages', path: path('anthropic', 'rawPredict', 'streamRawPredict'), credential },
  embeddings,
  video: vendor,
  images,
})

testProvider(vertex, {
  config,
  model: 'meta/llama-herd-maas',
  upstream: { format: 'chat-completions', path: `${HOME}/endpoints/openapi/chat/completions`, credential },
  embeddings,
  video: vendor,
  images,
})

testProvider(vertex, {
  config,
  model: 'codestral-2',
  upstream: {
    format: 'chat-completions',
    path: path('mistralai', 'rawPredict', 'streamRawPredict'),
    credential,
    refuses: ['logit_bias', 'service_tier', 'verbosity', 'stream_options', 'max_completion_tokens'],
  },
  embeddings,
  video: vendor,
  images,
})

testProvider(vertex, {
  config: { apiKey: 'zebra.of.the.express' },
  model: 'gemini-3.5-flash',
  upstream: {
    format: 'generate-content',
    path: {
      whole: '/v1/publishers/google/models/{model}:generateContent',
      stream: '/v1/publishers/google/models/{model}:streamGenerateContent?alt=sse',
    },
    credential: { header: 'x-goog-api-key', value: 'zebra.of.the.express' },
  },
  images: { ...images, paths: ['/v1/publishers/google/models/{model}:generateContent'] },
})
