import { guardModerations, testProvider } from '@headgate/conformance'
import { fireworks } from '../src/index.ts'
import { images } from './images-vendor.ts'
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
  // Written from https://docs.fireworks.ai/api-reference/audio-transcriptions
  transcription: {
    model: 'whisper-v3',
    requests: ['POST /v1/audio/transcriptions'],
    can: { times: 'word', prompt: true, temperature: true, translates: true, maxBytes: 1_000_000_000 },
  },
  moderations: guardModerations({
    model: 'accounts/fireworks/models/llama-guard-3-8b',
    path: '/inference/v1/chat/completions',
    otherModel: 'test-model',
  }),
  images,
})
