import { serviceAccount } from '@headgate/core/credentials'
import {
  baseUrl,
  type Call,
  type ChatSupport,
  defineProvider,
  type HttpResponse,
  object,
  text,
  type UpstreamError,
} from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { refusalOf } from './refusal.ts'
import { modelPath } from './resource.ts'
import { videoAt } from './video.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
/** Where results lie that the operator has sent to a bucket. */
const STORAGE = 'storage.googleapis.com'

/** What is made of these names is a path and a host. */
const name = z.string().regex(/^[a-z0-9][a-z0-9.:-]*$/, 'must be a name of letters, digits and dashes')

/** The host of a location: the world, the regions of a continent, or one region. */
function hostOf(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  return /^(us|eu)$/.test(location) ? `https://aiplatform.${location}.rep.googleapis.com` : `https://${location}-aiplatform.googleapis.com`
}

const isClaude = (model: string): boolean => model.startsWith('claude-')
const isOpen = (model: string): boolean => model.includes('/')

/** What each publisher speaks: Anthropic messages, where the model stands in the path and `anthropic-beta` in the body. */
function chatAt(home: string): readonly ChatSupport[] {
  const method = (publisher: string, whole: string, stream: string) => (call: Call) =>
    `${modelPath(home, publisher, call.model)}:${call.stream ? stream : whole}`
  return [
    { format: 'chat-completions', speaks: isOpen, path: () => `${home}/endpoints/openapi/chat/completions` },
    {
      format: 'messages',
      speaks: isClaude,
      path: method('anthropic', 'rawPredict', 'streamRawPredict'),
      forward: ['anthropic-beta'],
      patchRequest: ({ model, ...body }, { headers: { 'anthropic-beta': beta } }) => ({
        ...body,
        anthropic_version: 'vertex-2023-10-16',
        ...(beta && { anthropic_beta: beta.split(',').map((one) => one.trim()) }),
      }),
      signer: 'claude',
    },
    {
      format: 'generate-content',
      speaks: (model) => !isOpen(model) && !isClaude(model),
      path: method('google', 'generateContent', 'streamGenerateContent?alt=sse'),
      signer: 'gemini',
      facts: { usageInStream: 'always' },
    },
  ]
}

/** A refusal by the vendor's filters is a 400 like any other: its words tell. */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const message = text(object(object(body)?.['error'])?.['message'])
  return status === 400 && message && refusalOf(message) ? { kind: 'content-policy', message } : undefined
}

/**
 * Vertex AI, Google's models and those of others in a project of Google Cloud: Gemini in generateContent, Claude in messages, open models
 * (`<publisher>/<model>`) in chat completions; videos of Veo.
 *
 * @see https://docs.cloud.google.com/vertex-ai/docs/reference/rest
 */
export const vertex = defineProvider(
  {
    id: 'vertex',
    title: 'Vertex AI',
    config: z.strictObject({
      project: name,
      location: name,
      key: z.string().min(1),
      storageUri: z
        .string()
        .regex(/^gs:\/\/[^/\s]+(\/\S*)?$/, 'must be a bucket or a folder of it: gs://bucket/folder/')
        .optional(),
      baseUrl: baseUrl.optional(),
    }),
    env: {
      project: ['GOOGLE_CLOUD_PROJECT'],
      location: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_REGION'],
      key: [{ file: 'GOOGLE_APPLICATION_CREDENTIALS' }],
      storageUri: ['VERTEX_STORAGE_URI'],
      baseUrl: ['VERTEX_BASE_URL'],
    },
    claims: [/^veo-/],
  },
  ({ project, location, key, storageUri, ...given }) => {
    const home = `/v1/projects/${project}/locations/${location}`
    return {
      baseUrl: given.baseUrl ?? hostOf(location),
      ...(storageUri && { hosts: [STORAGE] }),
      credential: serviceAccount(key, SCOPE),
      chat: chatAt(home),
      video: videoAt(home, storageUri),
      known: models,
      readError,
    }
  },
)
