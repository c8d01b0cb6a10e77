import { testProvider } from '@headgate/conformance'
import { groq } from '../src/index.ts'
import { moderations } from './moderations-vendor.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'

testProvider(groq, {
  config: { apiKey: 'heron.of.groq' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '/openai/v1/chat/completions',
    models: '/openai/v1/models',
    credential: { header: 'authorization', value: 'Bearer heron.of.groq' },
    refuses: ['logit_bias', 'logprobs', 'top_logprobs'],
    accepts: {
      source: 'https://console.groq.com/docs/api-reference#chat-create',
      fields: {
        'messages[system]': ['role', 'content'],
        'messages[user]': ['role', 'content'],
        'messages[assistant]': ['role', 'content', 'reasoning', 'tool_calls'],
        'messages[tool]': ['role', 'content', 'tool_call_id'],
      },
    },
  },
  transcription,
  // Written from https://console.groq.com/docs/responses-api
  also: [
    {
      format: 'responses',
      path: '/openai/v1/responses',
      refuses: ['include', 'prompt_cache_key', 'safety_identifier', 'truncation'],
    },
  ],
  moderations,
  speech,
})
