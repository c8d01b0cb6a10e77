import {
  baseUrl,
  defineProvider,
  type HttpResponse,
  object,
  refusalIn,
  text,
  type UpstreamError,
} from '@headgate/core/provider'
import { z } from 'zod'
import { chatAt, geminiAt } from './chat.ts'
import { credentialFields, credentialOf } from './credentials.ts'
import { embeddingsAt } from './embeddings.ts'
import { models } from './models.ts'
import { videoAt } from './video.ts'
import { videoModels } from './video-models.ts'

/** Where results lie that the operator has sent to a bucket. */
const STORAGE = 'storage.googleapis.com'

/** What is made of these names is a path and a host. */
const name = z.string().regex(/^[a-z0-9][a-z0-9.:-]*$/, 'must be a name of letters, digits and dashes')

/** The host of a location: the world, the regions of a continent, or one region. */
function hostOf(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  return /^(us|eu)$/.test(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`
}

/** A refusal by the vendor's filters is a 400 like any other: its words tell. */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const message = text(object(object(body)?.['error'])?.['message'])
  return status === 400 && message && refusalIn(message) ? { kind: 'content-policy', message } : undefined
}

/** What there must be beside who asks: a key of the express mode names a project by itself. */
function isWhole({
  apiKey,
  project,
  location,
}: {
  apiKey?: string | undefined
  project?: string | undefined
  location?: string | undefined
}): boolean {
  return (project !== undefined && location !== undefined) || (apiKey !== undefined && project === undefined)
}

/**
 * Vertex AI, Google's models and those of others in a project of Google Cloud: Gemini in generateContent, Claude in
 * messages, Mistral and open models (`<publisher>/<model>`) in chat completions; embeddings, and videos of Veo. With a
 * key alone it is the express mode, which has Gemini.
 *
 * @see https://docs.cloud.google.com/vertex-ai/docs/reference/rest
 * @see
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/start/express-mode/vertex-ai-express-mode-api-reference
 */
export const vertex = defineProvider(
  {
    id: 'vertex',
    title: 'Vertex AI',
    config: z
      .strictObject({
        project: name.optional(),
        location: name.optional(),
        ...credentialFields,
        storageUri: z
          .string()
          .regex(/^gs:\/\/[^/\s]+(\/\S*)?$/, 'must be a bucket or a folder of it: gs://bucket/folder/')
          .optional(),
        baseUrl: baseUrl.optional(),
      })
      .refine(isWhole, {
        error: 'there is no project: set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION',
        path: ['project'],
      })
      .refine((given) => given.apiKey ?? given.key ?? (given.metadata || undefined), {
        error: 'nothing says who asks: set GOOGLE_APPLICATION_CREDENTIALS, or VERTEX_API_KEY',
        path: ['key'],
      }),
    env: {
      project: ['GOOGLE_CLOUD_PROJECT'],
      location: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_REGION'],
      apiKey: ['VERTEX_API_KEY', 'GOOGLE_VERTEX_API_KEY'],
      key: [{ file: 'GOOGLE_APPLICATION_CREDENTIALS' }],
      metadataHost: ['GCE_METADATA_HOST'],
      storageUri: ['VERTEX_STORAGE_URI'],
      baseUrl: ['VERTEX_BASE_URL'],
    },
    claims: [/^veo-/],
  },
  ({ project, location = 'global', storageUri, baseUrl: given, ...who }) => {
    const base = {
      baseUrl: given ?? hostOf(location),
      credential: credentialOf(who) ?? ({ kind: 'none' } as const),
      readError,
    }
    if (project === undefined)
      return {
        ...base,
        baseUrl: given ?? hostOf('global'),
        chat: [geminiAt('/v1')],
        known: models.filter(({ id }) => /^gemini-(?!embed)/.test(id)),
      }
    const home = `/v1/projects/${project}/locations/${location}`
    return {
      ...base,
      ...(storageUri && { hosts: [STORAGE] }),
      chat: chatAt(home),
      embeddings: embeddingsAt(home),
      video: videoAt(home, storageUri),
      known: [...models, ...videoModels],
    }
  },
)
