import { testProvider } from '@headgate/conformance'
import { vllm } from '../src/index.ts'
import { moderations } from './moderations-vendor.ts'

testProvider(vllm, {
  config: { apiKey: 'heron.of.vllm', responses: true },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.vllm' },
  },
  // Written from https://docs.vllm.ai/en/latest/serving/openai_compatible_server/#responses-api
  also: [{ format: 'responses', path: '/v1/responses', lacks: ['signature'] }],
  rerank: { model: 'test-rank', path: '/v1/rerank' },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/v1/embeddings', tokens: true },
  moderations,
})
