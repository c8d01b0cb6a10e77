import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'

/**
 * Videos of xAI, written from https://docs.x.ai/developers/model-capabilities/video/generation (October 2026), xai-sdk
 * 1.19.0 (`video.proto`'s fields as its Python client sets them) and the answers that `@ai-sdk/xai` 4.0.43 reads. No
 * traffic was recorded.
 */
interface Asked {
  readonly model: string
  readonly prompt?: string
  readonly image?: { readonly url: string }
  readonly last_frame?: { readonly url: string }
  readonly reference_images?: readonly { readonly url: string }[]
  readonly duration?: number
  readonly aspect_ratio?: string
  readonly resolution?: string
  readonly generate_audio?: boolean
  readonly user?: string
}

const FIELDS = [
  'model',
  'prompt',
  'image',
  'last_frame',
  'reference_images',
  'duration',
  'aspect_ratio',
  'resolution',
  'generate_audio',
  'user',
]

function read({ body }: Received): VideoMeaning {
  const asked = body as Asked
  const unknown = Object.keys(asked).filter((key) => !FIELDS.includes(key))
  if (unknown.length > 0) throw new Error(`Unknown field: ${unknown.join(', ')}`)
  const { prompt, image, last_frame, reference_images: references = [], duration, aspect_ratio, resolution } = asked
  const isPinned = last_frame !== undefined || references.length > 0
  if (!prompt && !image && !isPinned) throw new Error('Prompt cannot be empty. Please provide a prompt.')
  if (asked.model !== 'grok-imagine-video-1.5' && last_frame)
    throw new Error('`last_frame` is not supported for this model')
  if (references.length > 7) throw new Error('At most 7 reference images')
  if (duration !== undefined && !(Number.isInteger(duration) && duration >= 1 && duration <= 15))
    throw new Error('Duration is 1 to 15')
  if (resolution === '1080p' && isPinned) throw new Error('1080p is not available with references or pinned frames')
  if (resolution && !['480p', '720p', '1080p'].includes(resolution)) throw new Error('Unsupported resolution')
  return {
    text: prompt,
    firstFrame: image?.url,
    lastFrame: last_frame?.url,
    images: references.map(({ url }) => url),
    duration,
    ratio: aspect_ratio,
    resolution,
    audio: asked.generate_audio,
    user: asked.user,
  }
}

const URL = 'https://vidgen.x.ai/xai-vidgen-bucket/xai-video-7c41.mp4'

export const vendor: RemoteVideoFacts = {
  model: 'grok-imagine-video-1.5',
  create: '/v1/videos/generations',
  read,
  id: 'd97415a1-5796-b7ec-379f-000000000042',
  created: { request_id: 'd97415a1-5796-b7ec-379f-000000000042' },
  states: {
    running: [[202, { status: 'pending', progress: 40 }]],
    succeeded: [
      {
        status: 'done',
        video: { url: URL, duration: 8, respect_moderation: true },
        model: 'grok-imagine-video-1.5',
        usage: { cost_in_usd_ticks: 11_200_000_000 },
        progress: 100,
      },
    ],
    failed: [
      { status: 'failed', error: { code: 'internal_error', message: 'The generation could not be completed.' } },
    ],
    refused: [
      {
        status: 'failed',
        error: { code: 'invalid_argument', message: 'Generated video rejected by content moderation.' },
      },
    ],
    expired: [{ status: 'expired' }],
  },
  get: ['GET /v1/videos/{id}'],
  video: URL,
  usage: { input: 0, output: 0, units: { seconds: 8 } },
  refusals: {
    moderation: [
      403,
      {
        code: 'The caller does not have permission to execute the specified operation',
        error:
          'Content violates usage guidelines. Team: 11111111-2222, API key ID: 3333, Model: grok, Failed check: SAFETY_CHECK_TYPE_BIO',
      },
    ],
    limit: [429, { code: 'Some resource has been exhausted', error: 'Too many requests.' }, { 'retry-after': '30' }],
    quota: [
      429,
      {
        code: 'Some resource has been exhausted',
        error: 'Your team 11111111 has either used all available credits or reached its monthly spending limit.',
      },
    ],
  },
  error: (status: number, error: string) => ({ code: `status ${status}`, error }),
}
