import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'
import { isObject, type Json, number, object, objects, text } from '@headgate/core/provider'

// Written from the models of Volcengine's Go SDK (github.com/volcengine/volcengine-go-sdk at cf20b61 of August 2026:
// service/arkruntime/content_generation.go and model/) and what its documentation says of them
// (https://www.volcengine.com/docs/82379/1520757, /1521309, /1521675, /1521720, /1299023). No answer of the service
// itself was seen.

const id = 'cgt-20260131120000-q7v2k'
const made =
  'https://ark-content.tos-cn-beijing.example/made.mp4?X-Tos-Date=20260131T120300Z&X-Tos-Expires=86400&X-Tos-Signature=5f'
const still =
  'https://ark-content.tos-cn-beijing.example/made.png?X-Tos-Date=20260131T120300Z&X-Tos-Expires=86400&X-Tos-Signature=6a'

const error = (code: string, message: string, type: string): Json => ({ error: { code, message, param: '', type } })

function task(status: string, more: Json = {}): Json {
  return {
    id,
    model: 'doubao-seedance-2-0-260128',
    status,
    created_at: 1_769_860_800,
    updated_at: 1_769_860_860,
    service_tier: 'default',
    execution_expires_after: 172_800,
    ...more,
  }
}

const done = task('succeeded', {
  content: { video_url: made, last_frame_url: still },
  usage: { completion_tokens: 108_000, total_tokens: 108_000 },
  seed: 41,
  resolution: '720p',
  ratio: '16:9',
  duration: 5,
  framespersecond: 24,
  generate_audio: true,
})

export const video: RemoteVideoFacts = {
  model: 'doubao-seedance-2-0-260128',
  create: '/api/v3/contents/generations/tasks',
  read,
  id,
  created: { id },
  states: {
    queued: [task('queued')],
    running: [task('running')],
    succeeded: [done],
    failed: [task('failed', { error: { code: 'InternalServiceError', message: 'The service failed.' } })],
    refused: [
      task('failed', {
        error: { code: 'OutputVideoSensitiveContentDetected', message: 'The video may be sensitive.' },
      }),
    ],
    cancelled: [task('cancelled')],
    expired: [task('expired')],
  },
  get: ['GET /api/v3/contents/generations/tasks/{id}'],
  cancel: {
    path: 'DELETE /api/v3/contents/generations/tasks/{id}',
    done: {},
    late: [
      409,
      error(
        'InvalidAction.RunningTaskDeletion',
        `Cannot delete task ${id} because it is currently running.`,
        'Conflict',
      ),
    ],
  },
  find: {
    path: 'GET /api/v3/contents/generations/tasks',
    found: (intent) => ({
      items: [task('running', { id: 'cgt-1' }), task('queued', { safety_identifier: intent })],
      total: 2,
    }),
    none: { items: [task('running', { id: 'cgt-1', safety_identifier: 'somebody' })], total: 1 },
  },
  video: made,
  usage: { input: 0, output: 108_000 },
  refusals: {
    moderation: [
      400,
      error('InputTextSensitiveContentDetected', 'The input text may contain sensitive information.', 'BadRequest'),
    ],
    limit: [
      429,
      error('QuotaExceeded', 'The queue of the account is full.', 'TooManyRequests'),
      { 'retry-after': '30' },
    ],
    quota: [403, error('AccountOverdueError', 'The account has an overdue balance.', 'Forbidden')],
  },
  error: (status, message) => error(`Status${status}`, message, 'BadRequest'),
}

/** What Ark understands of a request. */
export function read({ body }: Pick<Received, 'body'>): VideoMeaning {
  if (!isObject(body)) throw new Error('The body must be an object.')
  const items = objects(body['content'])
  if (items.length === 0) throw new Error('content must have an item.')
  const urls = (type: string, ...roles: readonly unknown[]): string[] =>
    items.flatMap((item) =>
      item['type'] === type && roles.includes(item['role']) ? (text(object(item[type])?.['url']) ?? []) : [],
    )
  const flag = (name: string): boolean | undefined => (typeof body[name] === 'boolean' ? body[name] : undefined)
  return {
    text: items.flatMap((item) => (item['type'] === 'text' ? (text(item['text']) ?? []) : [])).join('\n'),
    firstFrame: urls('image_url', 'first_frame', undefined)[0],
    lastFrame: urls('image_url', 'last_frame')[0],
    images: urls('image_url', 'reference_image'),
    videos: urls('video_url', 'reference_video'),
    audios: urls('audio_url', 'reference_audio'),
    duration: number(body['duration']),
    ratio: text(body['ratio']),
    resolution: text(body['resolution']),
    seed: number(body['seed']),
    audio: flag('generate_audio'),
    watermark: flag('watermark'),
    cameraFixed: flag('camera_fixed'),
    user: text(body['safety_identifier']),
  }
}
