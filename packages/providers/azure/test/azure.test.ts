import { type Received, type SignatureFacts, testProvider } from '@headgate/conformance'
import { azure } from '../src/index.ts'
import { images } from './images-vendor.ts'
import { speech } from './speech-vendor.ts'
import { transcription } from './transcription-vendor.ts'

const API_KEY = 'zebra.of.the.azure'
const TOKEN = 'token.of.the.zebra'
const baseUrl = 'https://herd.openai.azure.com'
const keyed = { header: 'api-key', value: API_KEY } as const
const VERSION = '?api-version=2024-10-21'

// Written from https://learn.microsoft.com/azure/foundry/openai/latest
testProvider(azure, {
  config: { apiKey: API_KEY, baseUrl },
  model: 'herd-5',
  upstream: { format: 'chat-completions', path: '/openai/v1/chat/completions', credential: keyed },
  also: [{ format: 'responses', path: '/openai/v1/responses' }],
  embeddings: {
    model: 'text-embedding-3-small',
    format: 'embeddings',
    path: '/openai/v1/embeddings',
    batch: 2048,
    tokens: true,
  },
  transcription,
  speech,
  images,
})

// Written from https://learn.microsoft.com/azure/foundry/openai/reference
testProvider(azure, {
  config: { apiKey: API_KEY, baseUrl, apiVersion: '2024-10-21' },
  model: 'herd-5',
  upstream: {
    format: 'chat-completions',
    path: `/openai/deployments/{model}/chat/completions${VERSION}`,
    credential: keyed,
  },
  embeddings: {
    model: 'text-embedding-3-small',
    format: 'embeddings',
    path: `/openai/deployments/text-embedding-3-small/embeddings${VERSION}`,
    batch: 2048,
    tokens: true,
  },
  transcription: { ...transcription, requests: ['POST /openai/deployments/whisper/audio/transcriptions'] },
  speech: { ...speech, path: `/openai/deployments/{model}/audio/speech${VERSION}` },
  images: {
    ...images,
    paths: ['generations', 'edits'].map((end) => `/openai/deployments/{model}/images/${end}${VERSION}`),
  },
})

/** Entra ID. Written from https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
const entra: SignatureFacts = {
  headers: ['authorization'],
  isRight: ({ headers }: Received) => headers['authorization'] === `Bearer ${TOKEN}`,
  secrets: [TOKEN, 'secret.of.the.herd'],
  issue({ path, raw }) {
    const form = new URLSearchParams(raw)
    const due = { grant_type: 'client_credentials', client_id: 'herd', client_secret: 'secret.of.the.herd' }
    if (path !== '/savanna/oauth2/v2.0/token' || Object.entries(due).some(([name, value]) => form.get(name) !== value))
      throw new Error('invalid_client')
    if (form.get('scope') !== 'https://cognitiveservices.azure.com/.default') throw new Error('invalid_scope')
    return { token_type: 'Bearer', expires_in: 3_599, ext_expires_in: 3_599, access_token: TOKEN }
  },
}

// Written from https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
testProvider(azure, {
  config: {
    tenantId: 'savanna',
    clientId: 'herd',
    clientSecret: 'secret.of.the.herd',
    baseUrl: 'https://herd.services.ai.azure.com',
  },
  model: 'claude-sonnet-4-5',
  upstream: {
    format: 'messages',
    path: '/anthropic/v1/messages',
    credential: entra,
    forward: ['anthropic-version', 'anthropic-beta'],
  },
  embeddings: {
    model: 'text-embedding-3-small',
    format: 'embeddings',
    path: '/openai/v1/embeddings',
    batch: 2048,
    tokens: true,
  },
  transcription,
  speech,
  images,
})
