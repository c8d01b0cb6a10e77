import { z } from 'zod'
import type { Codec } from '../../src/codec.ts'
import {
  type Call,
  defineProvider,
  type EmbeddingsRequest,
  type FinalRequest,
  type HttpRequest,
  type HttpResponse,
  isObject,
  type Json,
  type Next,
  next,
  number,
  object,
  objects,
  parse,
  signed,
  text,
  type VideoRef,
  type VideoRequest,
  type VideoTask,
} from '../../src/provider.ts'

/** Sketches of providers that need most of the contract. They compile against it: what one of them can not say is missing there. */

const isClaude = (model: string): boolean => model.includes('claude')

const TOKENS = 'https://oauth2.googleapis.com/token'

interface Token {
  readonly token: string
}

/** Two formats by model, a token that is leased for an assertion of ours, a key that is a file, a header that moves into the body. */
export const vertex = (assert: (key: string, now: Date) => string) =>
  defineProvider(
    {
      id: 'vertex',
      title: 'Vertex AI',
      config: z.strictObject({ project: z.string(), location: z.string(), key: z.string() }),
      env: {
        project: ['GOOGLE_CLOUD_PROJECT'],
        location: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_REGION'],
        key: [{ file: 'GOOGLE_APPLICATION_CREDENTIALS', default: '~/.config/gcloud/application_default_credentials.json' }],
      },
    },
    ({ project, location, key }) => {
      const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
      return {
        baseUrl: `https://${location}-aiplatform.googleapis.com/v1/projects/${project}/locations/${location}`,
        credential: signed<Token>({
          lease: {
            hosts: ['oauth2.googleapis.com'],
            obtain: {
              request: ({ now }) => ({ method: 'POST', url: TOKENS, body: { json: { grant_type: grant, assertion: assert(key, now) } } }),
              response({ body }) {
                const { access_token, expires_in } = fields(body)
                return { token: String(access_token), expiresAt: new Date(Date.now() + (number(expires_in) ?? 0) * 1_000) }
              },
            },
            secrets: ({ token }) => [token],
          },
          sign: (_, { token }) => ({ authorization: `Bearer ${token}` }),
        }),
        chat: [
          {
            format: 'generate-content',
            speaks: (model) => !isClaude(model),
            path: ({ model, stream }) =>
              `/publishers/google/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
            signer: 'gemini',
            facts: { usageInStream: 'always' },
          },
          {
            format: 'messages',
            speaks: isClaude,
            path: ({ model, stream }) => `/publishers/anthropic/models/${model}:${stream ? 'streamRawPredict' : 'rawPredict'}`,
            forward: ['anthropic-beta'],
            patchRequest: ({ model, ...body }, { headers }) => ({
              ...body,
              anthropic_version: 'vertex-2023-10-16',
              ...(headers['anthropic-beta'] && { anthropic_beta: headers['anthropic-beta'].split(',') }),
            }),
            signer: 'claude',
          },
        ],
      }
    },
  )

const METADATA = 'http://169.254.169.254'

export interface Keys {
  readonly id: string
  readonly secret: string
  readonly session: string
}

/** Signed bytes with keys of the machine, which a 403 calls stale, a binary framing within a format of core, and a format of its own. */
export const bedrock = (converse: Codec, signV4: (request: FinalRequest, keys: Keys, now: Date) => Record<string, string>) =>
  defineProvider(
    {
      id: 'bedrock',
      title: 'Amazon Bedrock',
      config: z.strictObject({ region: z.string(), role: z.string() }),
      env: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'], role: ['AWS_ROLE'] },
    },
    ({ region, role }) => {
      const path = (unary: string, stream: string) => (call: Call) =>
        `/model/${encodeURIComponent(call.model)}/${call.stream ? stream : unary}`
      const keysWith = (token: string): HttpRequest => ({
        method: 'GET',
        url: `${METADATA}/latest/meta-data/iam/security-credentials/${role}`,
        headers: { 'x-aws-ec2-metadata-token': token },
      })
      return {
        baseUrl: `https://bedrock-runtime.${region}.amazonaws.com`,
        credential: signed<Keys>({
          lease: {
            hosts: [METADATA],
            obtain: {
              request: () => ({
                method: 'PUT',
                url: `${METADATA}/latest/api/token`,
                headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
              }),
              response({ body }, earlier) {
                if (earlier.length === 0) return next(keysWith(String(body)))
                const { AccessKeyId, SecretAccessKey, Token, Expiration } = fields(body)
                return {
                  id: String(AccessKeyId),
                  secret: String(SecretAccessKey),
                  session: String(Token),
                  expiresAt: new Date(String(Expiration)),
                }
              },
            },
            secrets: ({ secret, session }) => [secret, session],
          },
          sign: signV4,
          stale: ({ status, body }) => status === 403 && String(fields(body)['__type']).endsWith('ExpiredTokenException'),
        }),
        chat: [
          {
            format: 'messages',
            speaks: isClaude,
            path: path('invoke', 'invoke-with-response-stream'),
            framing: 'aws-event-stream',
            patchFrame: ({ json: { bytes } }) => (typeof bytes === 'string' ? (parse(atob(bytes)) as Json) : undefined),
            patchRequest: ({ model, stream, ...body }) => ({ ...body, anthropic_version: 'bedrock-2023-05-31' }),
            signer: 'claude',
          },
          {
            format: converse,
            path: path('converse', 'converse-stream'),
            framing: 'aws-event-stream',
            signer: (model) => (isClaude(model) ? 'claude' : undefined),
          },
        ],
      }
    },
  )

/** Video whose result is a second request after the task is done. */
export const fal = defineProvider(
  { id: 'fal', title: 'fal', config: z.strictObject({ apiKey: z.string() }), env: { apiKey: ['FAL_API_KEY', 'FAL_KEY'] } },
  ({ apiKey }) => ({
    baseUrl: 'https://queue.fal.run',
    credential: { kind: 'header', name: 'authorization', value: `Key ${apiKey}` },
    video: {
      accepts: ({ images }) => (images.length > 1 ? ['images[1]: takes one image'] : []),
      create: { request: createTask, response: ({ body }) => readTask(fields(body)) },
      get: {
        request: ({ state }) => ({ method: 'GET', url: String(state?.['status']) }),
        response: readStatus,
      },
      cancel: {
        request: ({ state }) => ({ method: 'PUT', url: String(state?.['cancel']) }),
        response: ({ status }) => (status < 300 ? 'cancelled' : 'not-cancellable'),
      },
    },
    readError: ({ status, body }) =>
      status === 422
        ? {
            kind: 'invalid-request',
            message: objects(fields(body)['detail'])
              .map(({ msg }) => text(msg) ?? '')
              .join('; '),
          }
        : undefined,
  }),
)

function createTask({ model, text: prompt, images, duration, ratio, seed }: VideoRequest): HttpRequest {
  const body = { prompt, image_url: images[0]?.url, duration, aspect_ratio: ratio, seed }
  return { method: 'POST', url: `/${model}`, body: { json: body } }
}

function readTask({ request_id, status_url, response_url, cancel_url }: Json): VideoRef {
  return { id: String(request_id), state: { status: status_url, result: response_url, cancel: cancel_url } }
}

function readStatus({ body }: HttpResponse, { state }: VideoRef): VideoTask | Next {
  const { status, video } = fields(body)
  if (isObject(video)) return { status: 'succeeded', url: String(video['url']) }
  if (status === 'COMPLETED') return next({ method: 'GET', url: String(state?.['result']) })
  return { status: status === 'IN_QUEUE' ? 'queued' : 'running' }
}

/** A family in this process beside none of chat, with something to close. */
export const localEmbeddings = (
  embed: (inputs: EmbeddingsRequest['inputs'], signal: AbortSignal) => Promise<number[][]>,
  stop: () => Promise<void>,
) =>
  defineProvider({ id: 'local-embeddings', title: 'Local embeddings', config: z.strictObject({}), env: {}, enable: 'last-resort' }, () => ({
    credential: { kind: 'none' },
    known: [{ id: 'minilm', context: 512, inputs: ['text'], price: { id: 'local', input: 0, output: 0 } }],
    closed: true,
    embeddings: {
      batch: 32,
      run: async ({ inputs }: EmbeddingsRequest, signal: AbortSignal) => ({ vectors: await embed(inputs, signal) }),
    },
    close: stop,
  }))

/** Found by asking, with a format of its own in lines of JSON. */
export const ollama = (chat: Codec) =>
  defineProvider(
    {
      id: 'ollama',
      title: 'Ollama',
      config: z.strictObject({ baseUrl: z.url().default('http://127.0.0.1:11434') }),
      env: { baseUrl: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'] },
      probe: ({ baseUrl = 'http://127.0.0.1:11434' }) => ({ method: 'GET', url: `${baseUrl}/api/version` }),
    },
    ({ baseUrl }) => ({
      baseUrl,
      credential: { kind: 'none' },
      chat: [{ format: chat, path: () => '/api/chat', framing: 'ndjson' }],
      models: {
        request: () => ({ method: 'GET', url: '/api/tags' }),
        response: ({ body }) => objects(fields(body)['models']).map(({ name }) => ({ id: String(name) })),
      },
    }),
  )

function fields(value: unknown): Json {
  return object(value) ?? {}
}
