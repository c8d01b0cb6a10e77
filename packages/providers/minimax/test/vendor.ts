import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'
import { isObject, type Json, number, object, objects, text } from '@headgate/core/provider'

// Written from MiniMax's documentation of video generation v2
// (https://platform.minimax.io/docs/api-reference/video-generation-v2-create,
// -query, -delete, and /docs/guides/video-generation) as public transcriptions of August to October 2026 have it, and
// from the adapter of vercel/ai (packages/minimax at 1622d93). The words of a cancellation that comes too late are not
// documented: they are made up here.

const id = '424010985738629'
const made = 'https://video-product.cdn.example/made.mp4?Expires=1769893200&Signature=s'

const task = (status: string, more: Json = {}): Json => ({
  task: {
    id,
    model: 'MiniMax-H3',
    status,
    created_at: 1_769_860_800,
    updated_at: 1_769_860_860,
    task_type: 'generation',
    modality: 'video',
    ...more,
  },
})

const error = (status: number, type: string, message: string): Json => ({
  type: 'error',
  error: { type, message, http_code: String(status) },
  request_id: '0586f1d4',
})

export const video: RemoteVideoFacts = {
  model: 'MiniMax-H3',
  create: '/v2/video_generation',
  read,
  id,
  created: { task_id: id },
  states: {
    queued: [task('queued')],
    running: [task('running')],
    succeeded: [
      task('succeeded', {
        content: { url: made },
        resolution: '768P',
        duration: 5,
        ratio: '16:9',
        usage: { total_seconds: 5, input_seconds: 0, output_seconds: 5, input_image_count: 0 },
      }),
    ],
    failed: [task('failed', { error: { code: '1000', message: 'unknown error' } })],
    refused: [task('failed', { error: { code: '1027', message: 'the generated video contains sensitive content' } })],
    cancelled: [task('cancelled')],
    expired: [task('expired')],
  },
  get: ['GET /v2/query/video_generation/{id}'],
  cancel: {
    path: 'DELETE /v2/video_generation/{id}',
    done: { task_id: id, action: 'cancelled', status: 'cancelled' },
    late: [400, error(400, 'bad_request_error', 'invalid params, a running task can not be cancelled (2013)')],
  },
  video: made,
  usage: { input: 0, output: 0, units: { seconds: 5 } },
  refusals: {
    moderation: [422, error(422, 'content_policy_error', 'video description contains sensitive content (1026)')],
    limit: [429, error(429, 'rate_limit_error', 'rate limit exceeded (1002)'), { 'retry-after': '30' }],
    quota: [402, error(402, 'insufficient_balance_error', 'insufficient balance (1008)')],
  },
  error: (status, message) => error(status, 'api_error', message),
}

const RESOLUTIONS: Readonly<Record<string, string>> = { '768P': '720p', '2K': '1080p' }

function read({ body }: Received): VideoMeaning {
  if (!isObject(body)) throw new Error('The body must be an object.')
  const items = objects(body['content'])
  const texts = items.flatMap((item) => (item['type'] === 'text' ? (text(item['text']) ?? []) : []))
  const urls = (type: string, role: string): string[] =>
    items.flatMap((item) =>
      item['type'] === type && item['role'] === role ? (text(object(item[type])?.['url']) ?? []) : [],
    )
  const [firstFrame] = urls('image_url', 'first_frame')
  const [lastFrame] = urls('image_url', 'last_frame')
  const images = urls('image_url', 'reference_image')
  const videos = urls('video_url', 'reference_video')
  const audios = urls('audio_url', 'reference_audio')
  const duration = number(body['duration'])
  const resolution = RESOLUTIONS[String(body['resolution'])]
  const ratio = text(body['ratio'])
  const isFramed = firstFrame !== undefined || lastFrame !== undefined
  const isReferring = images.length + videos.length > 0
  if (texts.length !== 1 || texts[0] === '') throw new Error('content must have one text that is not empty.')
  if (duration === undefined || !Number.isInteger(duration) || duration < 4 || duration > 15)
    throw new Error('duration must be 4 to 15.')
  if (resolution === undefined) throw new Error('resolution must be 768P or 2K.')
  if (isFramed && isReferring) throw new Error('Frames and references can not be mixed.')
  if (!isFramed && !isReferring && (ratio === undefined || ratio === 'adaptive'))
    throw new Error('ratio must be given for text alone.')
  const watermark = body['aigc_watermark']
  return {
    text: texts[0],
    firstFrame,
    lastFrame,
    images,
    videos,
    audios,
    duration,
    ratio,
    resolution,
    ...(typeof watermark === 'boolean' && { watermark }),
  }
}
