import { testProvider } from '@headgate/conformance'
import { alibaba } from '../src/index.ts'
import { video } from './vendor.ts'

testProvider(alibaba, {
  config: { apiKey: 'stork.on.the.chimney' },
  model: 'qwen3-vl-plus',
  upstream: {
    format: 'chat-completions',
    path: '/compatible-mode/v1/chat/completions',
    models: '/compatible-mode/v1/models',
    credential: { header: 'authorization', value: 'Bearer stork.on.the.chimney' },
  },
  video,
})
