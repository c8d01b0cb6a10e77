import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'
import { isObject, type Json, number, object, objects, text } from '@headgate/core/provider'

// Written from Alibaba's documentation
// (https://www.alibabacloud.com/help/en/model-studio/wan3-video-generation-api-reference of October 2026, and
// manage-asynchronous-tasks, error-code beside it) as far as public copies have it, and from new-api's adapter
// (github.com/QuantumNous/new-api: relay/channel/task/ali).

const id = '8811b4a4-0f2c-4d0e-9c4f-4a1f6f1d2a10'
const made = 'https://dashscope-result-sgp.oss.example/made.mp4?Expires=1769947200&OSSAccessKeyId=k&Signature=s'
const times = { submit_time: '2026-01-31 20:00:00.000', scheduled_time: '2026-01-31 20:00:10.000' }
const request_id = 'c1209113-8437-424f-a386-654321'

const task = (task_status: string, more: Json = {}): Json => ({
  request_id,
  output: { task_id: id, task_status, ...more },
})
const error = (code: string, message: string): Json => ({ code, message, request_id })

export const video: RemoteVideoFacts = {
  model: 'wan3.0-video',
  create: '/api/v1/services/aigc/video-generation/video-synthesis',
  headers: ['x-dashscope-async'],
  read,
  id,
  created: { request_id, output: { task_status: 'PENDING', task_id: id } },
  states: {
    queued: [task('PENDING', { submit_time: times.submit_time })],
    running: [task('RUNNING', times)],
    succeeded: [
      {
        ...task('SUCCEEDED', {
          ...times,
          end_time: '2026-01-31 20:03:00.000',
          orig_prompt: 'An otter',
          video_url: made,
        }),
        usage: { duration: 5, input_video_duration: 0, output_video_duration: 5, video_count: 1, SR: 720 },
      },
    ],
    failed: [task('FAILED', { ...times, code: 'InternalError', message: 'The service failed.' })],
    refused: [
      task('FAILED', {
        ...times,
        code: 'DataInspectionFailed',
        message: 'Output data may contain inappropriate content.',
      }),
    ],
    cancelled: [task('CANCELED', times)],
    expired: [task('UNKNOWN')],
  },
  get: ['GET /api/v1/tasks/{id}'],
  cancel: {
    path: 'POST /api/v1/tasks/{id}/cancel',
    done: { request_id },
    late: [
      400,
      error('UnsupportedOperation', 'Failed to cancel the task, please confirm if the task is in PENDING status.'),
    ],
  },
  video: made,
  usage: { input: 0, output: 0, units: { seconds: 5 } },
  refusals: {
    moderation: [400, error('DataInspectionFailed', 'Input data may contain inappropriate content.')],
    limit: [
      429,
      error('Throttling.RateQuota', 'Requests rate limit exceeded, please try again later.'),
      { 'retry-after': '30' },
    ],
    quota: [400, error('Arrearage', 'Access denied, please make sure your account is in good standing.')],
  },
  error: (status, message) => error(`Status${status}`, message),
}

/** The same vendor, asked for another model. */
export function videoOf(model: string, create = video.create): RemoteVideoFacts {
  return { ...video, model, create }
}

const MEDIA: Readonly<Record<string, number>> = {
  first_frame: 1,
  last_frame: 1,
  reference_image: 10,
  reference_video: 5,
  reference_audio: 5,
}

/** Of the older models, which take pixels. */
const SIZES: Readonly<Record<string, readonly [resolution: string, ratio: string]>> = {
  '832*480': ['480p', '16:9'],
  '480*832': ['480p', '9:16'],
  '624*624': ['480p', '1:1'],
  '1280*720': ['720p', '16:9'],
  '720*1280': ['720p', '9:16'],
  '960*960': ['720p', '1:1'],
  '1088*832': ['720p', '4:3'],
  '832*1088': ['720p', '3:4'],
  '1920*1080': ['1080p', '16:9'],
  '1080*1920': ['1080p', '9:16'],
  '1440*1440': ['1080p', '1:1'],
  '1632*1248': ['1080p', '4:3'],
  '1248*1632': ['1080p', '3:4'],
}

function read({ headers, body }: Received): VideoMeaning {
  if (headers['x-dashscope-async'] !== 'enable') throw new Error('current user api does not support synchronous calls.')
  const { model, input: given, parameters } = isObject(body) ? body : {}
  const input = object(given) ?? {}
  const media = objects(input['media'])
  const of = (type: string): string[] => media.flatMap((one) => (one['type'] === type ? (text(one['url']) ?? []) : []))
  for (const { type } of media) {
    if (of(String(type)).length > (MEDIA[String(type)] ?? 0))
      throw new Error(`media can not have so many of ${String(type)}.`)
  }
  const frames = [...of('first_frame'), ...of('last_frame')]
  if (frames.length > 0 && frames.length < media.length) throw new Error('Frames and references can not be mixed.')
  const { resolution, size, ratio, duration, seed, audio, watermark } = object(parameters) ?? {}
  if (resolution !== undefined && !['480P', '720P', '1080P'].includes(String(resolution)))
    throw new Error('resolution is not known.')
  const pixels = size === undefined ? undefined : SIZES[String(size)]
  if (size !== undefined && !pixels) throw new Error('size is not known.')
  const sound = text(input['audio_url'])
  const urls = Array.isArray(input['reference_urls']) ? input['reference_urls'].map(String) : []
  return {
    text: text(input['prompt']),
    firstFrame: of('first_frame')[0] ?? text(input['img_url']) ?? text(input['first_frame_url']),
    lastFrame: of('last_frame')[0] ?? text(input['last_frame_url']),
    images: [...of('reference_image'), ...urls.filter((url) => !url.includes('.mp4'))],
    videos: [...of('reference_video'), ...urls.filter((url) => url.includes('.mp4'))],
    audios: [...of('reference_audio'), ...(sound === undefined ? [] : [sound])],
    duration: number(duration),
    // A video of a frame has its shape, and no word for it.
    ratio: text(ratio) ?? pixels?.[1] ?? (/i2v|kf2v/.test(String(model)) ? 'adaptive' : undefined),
    resolution: text(resolution)?.toLowerCase() ?? pixels?.[0],
    seed: number(seed),
    ...(typeof audio === 'boolean' && { audio }),
    ...(typeof watermark === 'boolean' && { watermark }),
  }
}
