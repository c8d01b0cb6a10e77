import { testProvider } from '@headgate/conformance'
import { minimax } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { speech } from './speech-vendor.ts'
import { video } from './vendor.ts'

testProvider(minimax, {
  config: { apiKey: 'heron.by.the.weir' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.by.the.weir' },
    refuses: ['presence_penalty', 'frequency_penalty', 'logit_bias'],
  },
  also: [
    {
      format: 'messages',
      path: '/anthropic/v1/messages',
      forward: ['anthropic-version', 'anthropic-beta'],
      refuses: [],
    },
  ],
  video,
  speech,
  images,
})
