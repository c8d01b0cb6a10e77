import { testProvider } from '@headgate/conformance'
import { volcengine } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { video } from './vendor.ts'

testProvider(volcengine, {
  config: { apiKey: 'marten.on.the.ridge' },
  model: 'doubao-seed-1-8-251228',
  upstream: {
    format: 'chat-completions',
    path: '/api/v3/chat/completions',
    models: '/api/v3/models',
    credential: { header: 'authorization', value: 'Bearer marten.on.the.ridge' },
  },
  video,
  images,
})
