import { z } from 'zod'
import type { Format } from '../../src/canonical/format.ts'
import { isObject, type Json, objects, parse, text } from '../../src/canonical/json.ts'
import {
  type ChatCall,
  defineProvider,
  type EmbeddingsRequest,
  type HttpRequest,
  type HttpResponse,
  type VideoRef,
  type VideoRequest,
  type VideoTask,
} from '../../src/contract/provider.ts'

/** Sketches of providers that need most of the contract. They compile against it: what one of them can not say is missing there. */

const isClaude = (model: string): boolean => model.includes('claude')

/** Two formats by model, a token that is fetched and cached, a header that moves into the body. */
export const vertex = (fetchToken: (signal: AbortSignal) => Promise<string>) =>
  defineProvider(
    {
      id: 'vertex',
      title: 'Vertex AI',
      config: z.strictObject({ project: z.string(), location: z.string() }),
      env: { project: ['GOOGLE_CLOUD_PROJECT'], location: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_REGION'] },
    },
    ({ project, location }) => {
      let token: Promise<string> | undefined
      return {
        baseUrl: `https://${location}-aiplatform.googleapis.com/v1/projects/${project}/locations/${location}`,
        credential: {
          kind: 'sign',
          async sign(request, { signal, refresh }) {
            if (refresh || !token) token = fetchToken(signal)
            return { ...request, headers: { ...request.headers, authorization: `Bearer ${await token}` } }
          },
        },
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

/** Signed bytes, a binary framing within a format of core, and a format of its own. */
export const bedrock = (converse: Format, signV4: (request: HttpRequest) => Record<string, string>) =>
  defineProvider(
    {
      id: 'bedrock',
      title: 'Amazon Bedrock',
      config: z.strictObject({ region: z.string(), accessKeyId: z.string(), secretAccessKey: z.string() }),
      env: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'], accessKeyId: ['AWS_ACCESS_KEY_ID'], secretAccessKey: ['AWS_SECRET_ACCESS_KEY'] },
    },
    ({ region }) => {
      const path = (unary: string, stream: string) => (call: ChatCall) =>
        `/model/${encodeURIComponent(call.model)}/${call.stream ? stream : unary}`
      return {
        baseUrl: `https://bedrock-runtime.${region}.amazonaws.com`,
        credential: { kind: 'sign', sign: (request) => ({ ...request, headers: { ...request.headers, ...signV4(request) } }) },
        chat: [
          {
            format: 'messages',
            speaks: isClaude,
            path: path('invoke', 'invoke-with-response-stream'),
            framing: 'aws-event-stream',
            unwrap: ({ bytes }) => object(parse(atob(String(bytes)))),
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
      create: { request: createTask, response: ({ body }) => readTask(object(body)) },
      get: {
        request: ({ state }) => ({ method: 'GET', url: String(state?.['status']), headers: {} }),
        response: readStatus,
      },
      cancel: {
        request: ({ state }) => ({ method: 'PUT', url: String(state?.['cancel']), headers: {} }),
        response: ({ status }) => (status < 300 ? 'cancelled' : 'not-cancellable'),
      },
    },
    readError: ({ status, body }) =>
      status === 422
        ? {
            kind: 'invalid-request',
            message: objects(object(body)['detail'])
              .map(({ msg }) => text(msg) ?? '')
              .join('; '),
          }
        : undefined,
  }),
)

function createTask({ model, text: prompt, images, duration, ratio, seed }: VideoRequest): HttpRequest {
  const body = { prompt, image_url: images[0]?.url, duration, aspect_ratio: ratio, seed }
  return { method: 'POST', url: `/${model}`, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function readTask({ request_id, status_url, response_url, cancel_url }: Json): VideoRef {
  return { id: String(request_id), state: { status: status_url, result: response_url, cancel: cancel_url } }
}

function readStatus({ body }: HttpResponse, { state }: VideoRef): VideoTask | { then: HttpRequest } {
  const { status, video } = object(body)
  if (isObject(video)) return { status: 'succeeded', url: String(video['url']) }
  if (status === 'COMPLETED') return { then: { method: 'GET', url: String(state?.['result']), headers: {} } }
  return { status: status === 'IN_QUEUE' ? 'queued' : 'running' }
}

/** A family in this process beside none of chat, with something to close. */
export const localEmbeddings = (
  embed: (inputs: readonly string[], signal: AbortSignal) => Promise<number[][]>,
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
export const ollama = (chat: Format) =>
  defineProvider(
    {
      id: 'ollama',
      title: 'Ollama',
      config: z.strictObject({ baseUrl: z.url().default('http://127.0.0.1:11434') }),
      env: { baseUrl: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'] },
      probe: ({ baseUrl = 'http://127.0.0.1:11434' }) => ({ method: 'GET', url: `${baseUrl}/api/version`, headers: {} }),
    },
    ({ baseUrl }) => ({
      baseUrl,
      credential: { kind: 'none' },
      chat: [{ format: chat, path: () => '/api/chat', framing: 'ndjson' }],
      models: {
        request: () => ({ method: 'GET', url: '/api/tags', headers: {} }),
        response: ({ body }) => objects(object(body)['models']).map(({ name }) => ({ id: String(name) })),
      },
    }),
  )

function object(value: unknown): Json {
  return isObject(value) ? value : {}
}
