import { testProvider } from '@headgate/conformance'
import { alibaba } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { video } from './vendor.ts'

testProvider(alibaba, {
  config: { apiKey: 'stork.on.the.chimney' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/compatible-mode/v1/chat/completions',
    models: '/compatible-mode/v1/models',
    credential: { header: 'authorization', value: 'Bearer stork.on.the.chimney' },
  },
  also: [{ format: 'messages', path: '/apps/anthropic/v1/messages', forward: ['anthropic-version', 'anthropic-beta'] }],
  video,
  images,
})
