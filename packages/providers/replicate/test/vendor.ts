import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'

// Written from Replicate's documentation: its HTTP API (https://replicate.com/docs/reference/http, and the types of the
// npm package replicate 1.4.0), the lifecycle of predictions and their deadlines
// (https://replicate.com/docs/topics/predictions/lifecycle,
// https://replicate.com/changelog/2025-10-16-prediction-deadlines), rate limits (…/rate-limits), and the schema of
// Seedance 2.0
// (https://replicate.com/bytedance/seedance-2.0/versions/d456b64a60da3903c3692f7128d491004d021bbc2e1e19c63bccb117d3f4ab7b/api).
// Not recorded.

const model = 'bytedance/seedance-2.0'
const id = 'm3k8vq5zx9rmc0d4w2ht7bnyse'
const FIELDS = [
  ...['prompt', 'image', 'last_frame_image', 'reference_images', 'reference_videos', 'reference_audios', 'duration'],
  ...['resolution', 'aspect_ratio', 'generate_audio', 'seed'],
]
const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive']

function read({ body, headers }: Received): VideoMeaning {
  const { input, ...rest } = body as { input: Json }
  if (Object.keys(rest).length > 0) throw new Error(`additional properties: ${Object.keys(rest).join(', ')}`)
  const unknown = Object.keys(input).filter((name) => !FIELDS.includes(name))
  if (unknown.length > 0) throw new Error(`no input ${unknown.join(', ')}`)
  if (!/^\d+[smh]?$/.test(headers['cancel-after'] ?? '1m')) throw new Error('Cancel-After is no duration')
  const {
    prompt,
    image,
    last_frame_image,
    reference_images,
    reference_videos,
    reference_audios,
    duration,
    resolution,
    aspect_ratio,
  } = input
  const hasReferences = [reference_images, reference_videos, reference_audios].some(
    (list) => Array.isArray(list) && list.length > 0,
  )
  if (typeof prompt !== 'string') throw new Error('prompt is required')
  if (last_frame_image !== undefined && image === undefined) throw new Error('a last frame needs a first one')
  if (image !== undefined && hasReferences) throw new Error('frames and references exclude each other')
  if (duration !== undefined && !(Number.isInteger(duration) && Number(duration) >= -1 && Number(duration) <= 15))
    throw new Error('duration')
  if (resolution !== undefined && resolution !== '480p' && resolution !== '720p') throw new Error('resolution')
  if (aspect_ratio !== undefined && !RATIOS.includes(String(aspect_ratio))) throw new Error('aspect_ratio')
  return {
    text: prompt,
    firstFrame: image as string | undefined,
    lastFrame: last_frame_image as string | undefined,
    images: reference_images as string[] | undefined,
    videos: reference_videos as string[] | undefined,
    audios: reference_audios as string[] | undefined,
    duration: duration as number | undefined,
    ratio: aspect_ratio as string | undefined,
    resolution: resolution as string | undefined,
    seed: input['seed'] as number | undefined,
    audio: input['generate_audio'] as boolean | undefined,
  }
}

const urls = {
  cancel: `{origin}/v1/predictions/${id}/cancel`,
  get: `{origin}/v1/predictions/${id}`,
  web: `https://replicate.com/p/${id}`,
}
const prediction = {
  id,
  model,
  version: 'hidden',
  input: {},
  logs: '',
  output: null,
  error: null,
  data_removed: false,
  source: 'api',
  urls,
}
const times = { created_at: '2026-11-20T10:00:00.000Z', started_at: '2026-11-20T10:00:02.000Z' }
const ended = { ...times, completed_at: '2026-11-20T10:01:40.000Z', metrics: { predict_time: 98.1, total_time: 100 } }
const deadline = '2026-11-20T10:01:40.000Z'
const starting = { ...prediction, status: 'starting', created_at: times.created_at }

/** What Replicate does with an official model. */
export const vendor: RemoteVideoFacts = {
  model,
  headers: ['cancel-after'],
  create: `/v1/models/${model}/predictions`,
  read,
  id,
  created: [201, starting],
  get: ['GET /v1/predictions/{id}'],
  states: {
    queued: [starting],
    running: [{ ...prediction, ...times, status: 'processing', logs: 'Generating …' }],
    succeeded: [
      { ...prediction, ...ended, status: 'succeeded', output: 'https://replicate.delivery/xezq/otter/tmp1.mp4' },
    ],
    failed: [{ ...prediction, ...ended, status: 'failed', error: 'Prediction interrupted; please retry (code: PA)' }],
    refused: [
      {
        ...prediction,
        ...ended,
        status: 'failed',
        error: 'The input or output was flagged as sensitive. Please try again with different inputs. (E005)',
      },
    ],
    cancelled: [{ ...prediction, ...ended, status: 'canceled', deadline: '2026-11-20T12:00:00.000Z' }],
    expired: [{ ...prediction, ...ended, status: 'canceled', deadline }],
  },
  cancel: {
    path: 'POST /v1/predictions/{id}/cancel',
    done: { ...prediction, ...times, status: 'canceled' },
    late: { ...prediction, ...ended, status: 'succeeded', output: 'https://replicate.delivery/xezq/otter/tmp1.mp4' },
  },
  video: 'https://replicate.delivery/xezq/otter/tmp1.mp4',
  refusals: {
    limit: [
      429,
      { detail: 'Request was throttled. Your rate limit resets in ~30s.', status: 429 },
      { 'retry-after': '30' },
    ],
    quota: [
      402,
      { title: 'Insufficient credit', detail: 'You have insufficient credit to run this model.', status: 402 },
    ],
  },
  error: (status, message) => ({ title: message, detail: message, status }),
}
