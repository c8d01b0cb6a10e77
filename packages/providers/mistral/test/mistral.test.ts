import { testProvider } from '@headgate/conformance'
import { mistral } from '../src/index.ts'
import { moderations } from './moderations-vendor.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'
import { embeddings } from './vendor.ts'

testProvider(mistral, {
  config: { apiKey: 'test-key-of-mistral' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/v1/chat/completions',
    models: '/v1/models',
    credential: { header: 'authorization', value: 'Bearer test-key-of-mistral' },
    accepts: {
      source: 'https://docs.mistral.ai/api/endpoint/chat',
      fields: {
        'messages[system]': ['role', 'content'],
        'messages[user]': ['role', 'content'],
        'messages[assistant]': ['role', 'content', 'tool_calls', 'prefix'],
        'messages[tool]': ['role', 'content', 'tool_call_id', 'name'],
        'tools[*]': ['type', 'function'],
        'tools[*].function': ['name', 'description', 'strict', 'parameters'],
      },
    },
    refuses: ['logit_bias', 'service_tier', 'verbosity'],
  },
  embeddings,
  transcription,
  moderations,
  speech,
})
