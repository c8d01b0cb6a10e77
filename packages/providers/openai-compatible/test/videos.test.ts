import { testProvider } from '@headgate/conformance'
import { openaiCompatible } from '../src/index.ts'
import { videos } from './videos-vendor.ts'

testProvider(openaiCompatible, {
  config: { baseUrl: 'http://127.0.0.1/v1', apiKey: 'otter.in.the.reeds', videos: 'json' as const, embeddings: false },
  model: 'llama-4',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer otter.in.the.reeds' },
  },
  video: videos,
})
