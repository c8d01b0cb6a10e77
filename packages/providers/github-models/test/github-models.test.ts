import { testProvider } from '@headgate/conformance'
import { githubModels } from '../src/index.ts'

testProvider(githubModels, {
  config: { apiKey: 'heron.of.github-models' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/inference/chat/completions',
    credential: { header: 'authorization', value: 'Bearer heron.of.github-models' },
  },
  embeddings: { model: 'test-embed', format: 'embeddings', path: '/inference/embeddings', tokens: true },
})
