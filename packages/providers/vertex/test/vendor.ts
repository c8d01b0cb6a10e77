import type { EmbeddingsWireFacts, Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'

/**
 * Veo on Vertex AI, written from
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation and from what
 * `@google/genai` 3.1.0 sends and reads in its mode of Vertex AI. No traffic was recorded.
 */
interface Image {
  readonly bytesBase64Encoded?: string
  readonly gcsUri?: string
  readonly mimeType?: string
}

interface Asked {
  readonly instances: readonly {
    readonly prompt?: string
    readonly image?: Image
    readonly lastFrame?: Image
    readonly referenceImages?: readonly { readonly image: Image; readonly referenceType: string }[]
  }[]
  readonly parameters: {
    readonly sampleCount?: number
    readonly durationSeconds?: number
    readonly aspectRatio?: string
    readonly resolution?: string
    readonly seed?: number
    readonly generateAudio?: boolean
    readonly storageUri?: string
  }
}

const PARAMETERS = [
  'sampleCount',
  'durationSeconds',
  'aspectRatio',
  'resolution',
  'seed',
  'generateAudio',
  'storageUri',
]

function bytesOf(image: Image | undefined): string | undefined {
  if (!image) return undefined
  if (!image.mimeType || !image.bytesBase64Encoded) throw new Error('An image needs bytesBase64Encoded and mimeType')
  return image.bytesBase64Encoded
}

function read({ body }: Received): VideoMeaning {
  const { instances, parameters } = body as Asked
  const [instance] = instances
  if (!instance || instances.length > 1) throw new Error('One instance is taken')
  const unknown = Object.keys(parameters).filter((key) => !PARAMETERS.includes(key))
  if (unknown.length > 0) throw new Error(`Unknown parameter: ${unknown.join(', ')}`)
  const { prompt, image, lastFrame, referenceImages: references = [] } = instance
  const { durationSeconds, aspectRatio, resolution, seed, generateAudio } = parameters
  if (!prompt && !image) throw new Error('Text prompt is required')
  if (lastFrame && !image) throw new Error('lastFrame needs image')
  if (references.length > 3 || references.some(({ referenceType }) => referenceType !== 'asset'))
    throw new Error('Up to 3 asset images')
  if (references.length > 0 && durationSeconds !== 8) throw new Error('durationSeconds is 8 with reference images')
  if (durationSeconds !== undefined && ![4, 6, 8].includes(durationSeconds))
    throw new Error('durationSeconds is 4, 6 or 8')
  if (aspectRatio && !['16:9', '9:16'].includes(aspectRatio)) throw new Error('aspectRatio is 16:9 or 9:16')
  if (resolution && !['720p', '1080p', '4k'].includes(resolution)) throw new Error('resolution is 720p, 1080p or 4k')
  if (generateAudio === undefined) throw new Error('generateAudio is required')
  return {
    text: prompt,
    firstFrame: bytesOf(image),
    lastFrame: bytesOf(lastFrame),
    images: references.flatMap((reference) => bytesOf(reference.image) ?? []),
    duration: durationSeconds,
    ratio: aspectRatio,
    resolution,
    seed,
    audio: generateAudio,
  }
}

const MODEL = 'veo-3.1-generate-001'
export const HOME = '/v1/projects/p/locations/us-central1'
const NAME = `projects/p/locations/us-central1/publishers/google/models/${MODEL}/operations/5f1c0d2e-0000-4000-8000-00000000002a`
const TYPE = 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse'

export const vendor: RemoteVideoFacts = {
  model: MODEL,
  create: `${HOME}/publishers/google/models/{model}:predictLongRunning`,
  read,
  id: NAME,
  created: { name: NAME },
  states: {
    running: [{ name: NAME }],
    succeeded: [
      {
        name: NAME,
        done: true,
        response: {
          '@type': TYPE,
          raiMediaFilteredCount: 0,
          videos: [{ bytesBase64Encoded: 'AAAAGGZ0eXBtcDQy', mimeType: 'video/mp4' }],
        },
      },
    ],
    failed: [{ name: NAME, done: true, error: { code: 13, message: 'Internal error. Please try again later.' } }],
    refused: [
      {
        name: NAME,
        done: true,
        response: {
          '@type': TYPE,
          raiMediaFilteredCount: 1,
          raiMediaFilteredReasons: [
            "Veo could not generate videos because it may violate Vertex AI's usage guidelines. Support codes: 15236754",
          ],
        },
      },
    ],
  },
  get: [`POST ${HOME}/publishers/google/models/{model}:fetchPredictOperation`],
  video: 'bytes',
  refusals: {
    moderation: [
      400,
      {
        error: {
          code: 400,
          message:
            "The prompt could not be submitted. This prompt contains sensitive words that violate Google's Responsible AI practices.",
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    limit: [
      429,
      { error: { code: 429, message: 'Resource has been exhausted.', status: 'RESOURCE_EXHAUSTED' } },
      { 'retry-after': '30' },
    ],
  },
  error: (code: number, message: string) => ({ error: { code, message, status: 'INVALID_ARGUMENT' } }),
}

const USES = { RETRIEVAL_QUERY: 'query', RETRIEVAL_DOCUMENT: 'document', SEMANTIC_SIMILARITY: 'similarity' } as const

/** Written from https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export const embeddings: EmbeddingsWireFacts = {
  model: 'text-embedding-005',
  path: `${HOME}/publishers/google/models/text-embedding-005:predict`,
  batch: 250,
  read({ body }) {
    const { instances, parameters } = body as {
      instances: { content: string; task_type?: keyof typeof USES }[]
      parameters?: { outputDimensionality?: number; autoTruncate?: boolean }
    }
    if (parameters?.autoTruncate !== false) throw new Error('what is too long would be cut')
    const [use] = instances.map(({ task_type }) => (task_type === undefined ? undefined : USES[task_type]))
    const dimensions = parameters.outputDimensionality
    return {
      inputs: instances.map(({ content }) => content),
      ...(use && { use }),
      ...(dimensions !== undefined && { dimensions }),
    }
  },
  write: ({ vectors, tokens }) => ({
    predictions: vectors.map((values) => ({
      embeddings: { values, statistics: { token_count: tokens / vectors.length, truncated: false } },
    })),
  }),
}
