import { type SignatureFacts, testProvider } from '@headgate/conformance'
import { watsonx } from '../src/index.ts'
import { embeddings, error, errorFrame, list, read, rerank, write } from './vendor.ts'

const TOKEN = 'token.of.the.blue.zebra'
const KEY = 'zebra.of.the.blue'

/** Written from https://cloud.ibm.com/apidocs/iam-identity-token-api#gettoken-apikey */
const iam: SignatureFacts = {
  headers: ['authorization'],
  isRight: ({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`,
  secrets: [TOKEN, KEY],
  issue({ path, raw }) {
    const form = new URLSearchParams(raw)
    if (
      path !== '/identity/token' ||
      form.get('grant_type') !== 'urn:ibm:params:oauth:grant-type:apikey' ||
      form.get('apikey') !== KEY
    )
      throw new Error('BXNIM0415E')
    return {
      access_token: TOKEN,
      refresh_token: 'not_supported',
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'ibm openid',
    }
  },
}

// Written from https://cloud.ibm.com/apidocs/watsonx-ai#text-chat
testProvider(watsonx, {
  config: { apiKey: KEY, projectId: '4947c695-a374-428c-acca-332c1a1dc9e9' },
  model: 'ibm/granite-4-h-small',
  upstream: {
    path: { whole: '/ml/v1/text/chat?version=2025-10-01', stream: '/ml/v1/text/chat_stream?version=2025-10-01' },
    models: list,
    credential: iam,
    read,
    write,
    error,
    errorFrame,
    lacks: ['pdf', 'cache'],
  },
  embeddings,
  rerank,
})
