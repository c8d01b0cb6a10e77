import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'

// Written from fal's documentation of its queue (https://fal.ai/docs/api-reference/inference-api and the pages below
// it), of model errors (https://fal.ai/docs/documentation/model-apis/errors) and request errors (…/request-errors), and
// of Seedance 2.0 (https://fal.ai/models/bytedance/seedance-2.0/text-to-video, …/image-to-video, …/reference-to-video).
// Not recorded.

const model = 'bytedance/seedance-2.0'
const id = '7c1d9a52-36f4-4b8e-9a77-0f2c5d6e8b13'
const at = `${model}/requests/${id}`

const DURATIONS = ['auto', ...Array.from({ length: 12 }, (_, index) => String(index + 4))]
const RATIOS = ['auto', '21:9', '16:9', '4:3', '1:1', '3:4', '9:16']
const RESOLUTIONS = ['480p', '720p', '1080p']
const SHARED = ['prompt', 'resolution', 'duration', 'aspect_ratio', 'generate_audio', 'seed', 'end_user_id']
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'text-to-video': [],
  'image-to-video': ['image_url', 'end_image_url'],
  'reference-to-video': ['image_urls', 'video_urls', 'audio_urls'],
}

function read({ path, body, headers }: Received): VideoMeaning {
  const input = body as Json
  const fields = FIELDS[path.slice(path.lastIndexOf('/') + 1)]
  if (!fields) throw new Error(`no endpoint at ${path}`)
  const unknown = Object.keys(input).filter((name) => !SHARED.includes(name) && !fields.includes(name))
  if (unknown.length > 0) throw new Error(`${path} has no input ${unknown.join(', ')}`)
  if (typeof input['prompt'] !== 'string') throw new Error('prompt is required')
  if (fields.includes('image_url') && input['image_url'] === undefined) throw new Error('image_url is required')
  if (!(Number(headers['x-fal-request-timeout'] ?? 1) > 0.1)) throw new Error('the timeout is no number of seconds')
  const duration = oneOf(input, 'duration', DURATIONS)
  const ratio = oneOf(input, 'aspect_ratio', RATIOS)
  return {
    text: input['prompt'],
    firstFrame: input['image_url'] as string | undefined,
    lastFrame: input['end_image_url'] as string | undefined,
    images: urls(input['image_urls'], 9),
    videos: urls(input['video_urls'], 3),
    audios: urls(input['audio_urls'], 3),
    duration: duration === 'auto' ? -1 : duration === undefined ? undefined : Number(duration),
    ratio: ratio === 'auto' ? 'adaptive' : ratio,
    resolution: oneOf(input, 'resolution', RESOLUTIONS),
    seed: input['seed'] as number | undefined,
    audio: input['generate_audio'] as boolean | undefined,
    user: input['end_user_id'] as string | undefined,
  }
}

function oneOf(input: Json, name: string, values: readonly string[]): string | undefined {
  const value = input[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !values.includes(value)) throw new Error(`${name} is one of ${values.join(', ')}`)
  return value
}

function urls(value: unknown, most: number): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length > most) throw new Error(`at most ${most} references`)
  return value as string[]
}

const urlsOf = {
  response_url: `{origin}/${at}`,
  status_url: `{origin}/${at}/status`,
  cancel_url: `{origin}/${at}/cancel`,
}
const done = { status: 'COMPLETED', request_id: id, ...urlsOf, metrics: { inference_time: 41.5 } }
const policy = {
  loc: ['body', 'prompt'],
  msg: 'The content was flagged by a content checker.',
  type: 'content_policy_violation',
  url: 'https://docs.fal.ai/errors',
}

/** What fal's queue does with Seedance 2.0. */
export const vendor: RemoteVideoFacts = {
  model,
  headers: ['x-fal-request-timeout'],
  create: [`/${model}/text-to-video`, `/${model}/image-to-video`, `/${model}/reference-to-video`],
  read,
  id,
  created: { status: 'IN_QUEUE', request_id: id, ...urlsOf, queue_position: 3 },
  get: [`GET /${model}/requests/{id}/status`, `GET /${model}/requests/{id}`],
  states: {
    queued: [[202, { status: 'IN_QUEUE', request_id: id, ...urlsOf, queue_position: 1 }]],
    running: [[202, { status: 'IN_PROGRESS', request_id: id, ...urlsOf, logs: [] }]],
    succeeded: [
      done,
      {
        video: {
          url: 'https://v3b.fal.media/files/b/0a1b/otter.mp4',
          content_type: 'video/mp4',
          file_name: 'otter.mp4',
          file_size: 4_100_200,
        },
        seed: 42,
      },
    ],
    failed: [
      done,
      [
        500,
        { detail: 'The runner failed.', error_type: 'runner_server_error' },
        { 'x-fal-error-type': 'runner_server_error' },
      ],
    ],
    refused: [done, [422, { detail: [policy] }]],
    cancelled: [done, [499, { detail: 'Request was cancelled.', error_type: 'client_cancelled' }]],
    expired: [
      done,
      [504, { detail: 'Request timed out', error_type: 'request_timeout' }, { 'x-fal-request-timeout-type': 'user' }],
    ],
  },
  cancel: {
    path: `PUT /${model}/requests/{id}/cancel`,
    done: [202, { status: 'CANCELLATION_REQUESTED' }],
    late: [400, { status: 'ALREADY_COMPLETED' }],
  },
  video: 'https://v3b.fal.media/files/b/0a1b/otter.mp4',
  refusals: {
    moderation: [422, { detail: [policy] }],
    limit: [429, { detail: 'Too many requests.' }, { 'retry-after': '30' }],
    quota: [403, { detail: 'User is locked. Reason: Exhausted balance.' }],
  },
  error: (_, message) => ({ detail: message }),
}
