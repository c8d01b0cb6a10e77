import {
  baseUrl,
  contentImages,
  defineProvider,
  drawsByContent,
  type HttpResponse,
  type ImagesSupport,
  type ModelFacts,
  object,
  refusalIn,
  required,
  text,
  type UpstreamError,
} from '@headgate/core/provider'
import { z } from 'zod'
import { chatAt, geminiAt } from './chat.ts'
import { credentialFields, credentialOf } from './credentials.ts'
import { embeddingsAt } from './embeddings.ts'
import { models } from './models.ts'
import { modelPath } from './resource.ts'
import { videoAt } from './video.ts'
import { videoModels } from './video-models.ts'

/** Host of results that the operator stores in a bucket. */
const STORAGE = 'storage.googleapis.com'

/** Validated because it becomes part of a path and a host. */
const name = z.string().regex(/^[a-z0-9][a-z0-9.:-]*$/, 'must be a name of letters, digits and dashes')

/** Host of a location: global, multi-region, or one region. */
function hostOf(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  return /^(us|eu)$/.test(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`
}

/**
 * Reads rejections by the vendor's filters: only their message distinguishes them from other errors with status 400.
 */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const message = text(object(object(body)?.['error'])?.['message'])
  return status === 400 && message && refusalIn(message) ? { kind: 'content-policy', message } : undefined
}

interface VertexFields {
  readonly apiKey?: string | undefined
  readonly project?: string | undefined
  readonly location?: string | undefined
}

/** Host and path of a project; no path in express mode, which only needs a key. Undefined if fields are missing. */
function placeOf({ apiKey, project, location }: VertexFields): { host: string; home?: string } | undefined {
  if (project !== undefined && location !== undefined)
    return { host: hostOf(location), home: `/v1/projects/${project}/locations/${location}` }
  return apiKey !== undefined && project === undefined ? { host: hostOf('global') } : undefined
}

function imagesAt(home: string): ImagesSupport {
  return contentImages((model) => `${modelPath(home, 'google', model)}:generateContent`)
}

/** Models, with a second family if they create images. */
const known: readonly ModelFacts[] = models.map((model) =>
  drawsByContent(model.id) ? { ...model, families: [...(model.families ?? []), 'images'] } : model,
)

const NO_PROJECT = 'no project: set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION'
const NO_CREDENTIAL = 'no credentials: set GOOGLE_APPLICATION_CREDENTIALS, or VERTEX_API_KEY'

/**
 * Vertex AI: models of Google and of other publishers in a Google Cloud project. Gemini in generateContent, Claude in
 * messages, Mistral and open models (`<publisher>/<model>`) in chat completions; embeddings, and videos of Veo. With a
 * key alone, it uses the express mode, which has Gemini.
 *
 * @see https://docs.cloud.google.com/vertex-ai/docs/reference/rest
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-overview
 * @see
 */
export const vertex = defineProvider(
  {
    id: 'vertex',
    title: 'Vertex AI',
    genAiName: 'gcp.vertex_ai',
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
      .transform(({ storageUri, baseUrl, ...given }, context) => ({
        storageUri,
        baseUrl,
        place: required(placeOf(given), context, NO_PROJECT, 'project'),
        credential: required(credentialOf(given), context, NO_CREDENTIAL, 'key'),
      })),
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
  ({ storageUri, place: { host, home }, baseUrl = host, credential }) => {
    const promptCache = { longLifetimeMs: 3_600_000, least: 2_048 }
    const base = { baseUrl, credential: credential(), readError, promptCache }
    if (home === undefined)
      return {
        ...base,
        chat: [geminiAt('/v1')],
        images: imagesAt('/v1'),
        known: known.filter(({ id }) => /^gemini-(?!embed)/.test(id)),
      }
    return {
      ...base,
      ...(storageUri && { hosts: [STORAGE] }),
      chat: chatAt(home),
      embeddings: embeddingsAt(home),
      images: imagesAt(home),
      video: videoAt(home, storageUri),
      known: [...known, ...videoModels],
    }
  },
)
