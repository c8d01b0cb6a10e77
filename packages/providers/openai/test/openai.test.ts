import { testProvider } from '@headgate/conformance'
import { openai } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { moderations } from './moderations-vendor.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'

const upstream = {
  models: '/v1/models',
  credential: { header: 'authorization', value: 'Bearer zebra.of.the.east' },
  headers: { 'openai-organization': 'org-1' },
} as const
const embeddings = {
  model: 'text-embedding-3-small',
  format: 'embeddings',
  path: '/v1/embeddings',
  batch: 2048,
  tokens: true,
} as const
const config = { apiKey: 'zebra.of.the.east', organization: 'org-1' }

testProvider(openai, {
  config: { ...config, responses: false },
  model: 'gpt-5',
  upstream: { format: 'chat-completions', path: '/v1/chat/completions', ...upstream },
  embeddings,
  transcription,
  images,
  moderations,
  speech,
})

testProvider(openai, {
  config,
  model: 'gpt-5-pro',
  upstream: { format: 'responses', path: '/v1/responses', ...upstream },
  embeddings,
  transcription,
  images,
  moderations,
  speech,
})
