import { testProvider } from '@headgate/conformance'
import { ollama } from '../src/index.ts'
import { moderations } from './moderations-vendor.ts'
import { embeddings, error, errorFrame, read, write } from './vendor.ts'

/** Written from https://docs.ollama.com/api/tags */
const models = {
  path: '/api/tags',
  write: (ids: readonly string[]) => ({
    models: ids.map((name) => ({
      name,
      model: name,
      size: 1,
      digest: 'd',
      details: { format: 'gguf', family: 'qwen3' },
    })),
  }),
}

testProvider(ollama, {
  config: { apiKey: 'heron.of.the.lama' },
  model: 'qwen3',
  upstream: {
    path: '/api/chat',
    frame: 'ndjson',
    lacks: ['pdf', 'cache'],
    models,
    credential: { header: 'authorization', value: 'Bearer heron.of.the.lama' },
    read,
    write,
    error,
    errorFrame,
  },
  embeddings,
  moderations,
})
