import { type Received, type SignatureFacts, testProvider } from '../../../conformance/src/index.ts'
import { signV4 } from '../../src/credentials.ts'
import { openAICompatible } from '../../src/openai-compatible.ts'
import { object } from '../../src/provider.ts'
import { converseVendor } from './converse-vendor.ts'
import { keyFile } from './key-file.ts'
import { azure } from './sketches/azure.ts'
import { bedrock } from './sketches/bedrock.ts'
import { cohere } from './sketches/cohere.ts'
import { converse } from './sketches/converse.ts'
import { vertex } from './sketches/vertex.ts'

/**
 * What sketches of leased and signed providers, and one with a codec, say of their vendors: all of it is served by this
 * machine.
 */

const keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'zebra.of.the.amazon',
  sessionToken: 'panther.of.the.amazon',
}

/** Whether AWS would take the signature: made anew from what arrived. */
function isSigned({ method, path, query, headers, raw }: Received): boolean {
  const url = new URL(`http://${headers['host']}${path}${query.size > 0 ? `?${query}` : ''}`)
  const at = headers['x-amz-date']?.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z') ?? ''
  const given = { method, url, headers: { 'content-type': headers['content-type'] ?? '' }, body: raw }
  return (
    signV4(given, keys, { service: 'bedrock', region: 'eu-central-1' }, new Date(at))['authorization'] ===
    headers['authorization']
  )
}

const amazon: SignatureFacts = {
  headers: ['authorization', 'x-amz-date', 'x-amz-security-token'],
  isRight: isSigned,
  secrets: [keys.secretAccessKey, keys.sessionToken],
  issue({ method, path, headers }) {
    if (method === 'PUT' && path === '/latest/api/token') return 'session-of-the-machine'
    if (headers['x-aws-ec2-metadata-token'] !== 'session-of-the-machine') throw new Error('401')
    const { accessKeyId, secretAccessKey, sessionToken } = keys
    return {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: new Date(Date.now() + 3_600_000),
    }
  },
}

testProvider(bedrock(converse), {
  config: { region: 'eu-central-1', role: 'gateway' },
  model: 'amazon.nova-pro-v1:0',
  upstream: {
    ...converseVendor,
    path: { whole: '/model/{model}/converse', stream: '/model/{model}/converse-stream' },
    credential: amazon,
  },
})

/** A token for what an OAuth server takes. */
function tokenFor(token: string, isTaken: (form: URLSearchParams) => boolean): SignatureFacts {
  return {
    headers: ['authorization'],
    isRight: ({ headers }) => headers['authorization'] === `Bearer ${token}`,
    secrets: [token],
    issue({ raw }) {
      if (!isTaken(new URLSearchParams(raw))) throw new Error('invalid_grant')
      return { access_token: token, expires_in: 3_599, token_type: 'Bearer' }
    },
  }
}

testProvider(vertex, {
  config: { project: 'p', location: 'europe-west4', key: keyFile() },
  model: 'gemini-3.5-flash',
  upstream: {
    format: 'generate-content',
    path: {
      whole: '/v1/projects/p/locations/europe-west4/publishers/google/models/{model}:generateContent',
      stream: '/v1/projects/p/locations/europe-west4/publishers/google/models/{model}:streamGenerateContent?alt=sse',
    },
    credential: tokenFor('zebra.of.the.vertex', (form) => form.get('assertion')?.split('.').length === 3),
  },
})

testProvider(azure, {
  config: {
    baseUrl: 'https://r.openai.azure.com',
    entra: { tenant: 't', clientId: 'c', clientSecret: 's' },
    deployments: { mine: 'gpt-5' },
  },
  model: 'mine',
  upstream: {
    format: 'chat-completions',
    path: '/openai/v1/chat/completions',
    credential: tokenFor('zebra.of.the.azure', (form) => form.get('client_secret') === 's'),
  },
})

const INPUT_TYPES: Readonly<Record<string, 'query' | 'document'>> = {
  search_query: 'query',
  search_document: 'document',
}

/** Of Cohere what has no codec here: its embeddings. */
const withoutChat = cohere(converse)

testProvider(
  Object.assign((config: { apiKey: string }) => ({ ...withoutChat(config), chat: [] }), withoutChat),
  {
    config: { apiKey: 'zebra.of.the.north' },
    upstream: { credential: { header: 'authorization', value: 'Bearer zebra.of.the.north' } },
    embeddings: {
      model: 'embed-v4.0',
      path: '/v2/embed',
      batch: 96,
      read({ body }) {
        const { texts, input_type, output_dimension } = object(body) ?? {}
        const use = INPUT_TYPES[String(input_type)]
        if (!use) throw new Error('input_type is required')
        return {
          inputs: texts as string[],
          use,
          ...(typeof output_dimension === 'number' && { dimensions: output_dimension }),
        }
      },
      write: ({ vectors, tokens }) => ({
        id: '1',
        embeddings: { float: vectors },
        meta: { billed_units: { input_tokens: tokens } },
      }),
    },
  },
)

const nim = openAICompatible({
  id: 'nim',
  title: 'NIM',
  baseUrl: 'https://integrate.api.example/v1',
  embeddings: { batch: 8, inputTypes: { query: 'query', document: 'passage' } },
  models: false,
})

/** Of the preset what makes vectors, for a server that knows what they are for. */
testProvider(
  Object.assign((config: { apiKey: string }) => ({ ...nim(config), chat: [] }), nim),
  {
    config: { apiKey: 'zebra.of.the.nim' },
    upstream: { credential: { header: 'authorization', value: 'Bearer zebra.of.the.nim' } },
    embeddings: {
      model: 'nv-embed',
      format: 'embeddings',
      path: '/v1/embeddings',
      batch: 8,
      tokens: true,
      inputTypes: { query: 'query', document: 'passage' },
    },
  },
)
