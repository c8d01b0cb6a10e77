import { testProvider } from '@headgate/conformance'
import { vertex } from '../src/index.ts'
import { keyFile, TOKEN, tokens } from './account.ts'
import { HOME, vendor } from './vendor.ts'

const config = { project: 'p', location: 'us-central1', key: keyFile() }
const credential = tokens(TOKEN)
/** Where a publisher's models are asked. */
const path = (publisher: string, whole: string, stream: string) => ({
  whole: `${HOME}/publishers/${publisher}/models/{model}:${whole}`,
  stream: `${HOME}/publishers/${publisher}/models/{model}:${stream}`,
})

testProvider(vertex, {
  config,
  model: 'gemini-3.5-flash',
  upstream: { format: 'generate-content', path: path('google', 'generateContent', 'streamGenerateContent?alt=sse'), credential },
  video: vendor,
})

testProvider(vertex, {
  config,
  model: 'claude-sonnet-4-5@20250929',
  upstream: { format: 'messages', path: path('anthropic', 'rawPredict', 'streamRawPredict'), credential },
  video: vendor,
})

testProvider(vertex, {
  config,
  model: 'meta/llama-4-maverick-17b-128e-instruct-maas',
  upstream: { format: 'chat-completions', path: `${HOME}/endpoints/openapi/chat/completions`, credential },
  video: vendor,
})
