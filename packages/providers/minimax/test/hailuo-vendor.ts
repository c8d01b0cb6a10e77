import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'
import { isObject, type Json, number, objects, text } from '@headgate/core/provider'

// Written from MiniMax's documentation of the first version
// (https://platform.minimax.io/docs/api-reference/video-generation-t2v, -i2v,
// -fl2v, -query, -download) as public transcriptions have it, and from new-api's adapter
// (github.com/QuantumNous/new-api: relay/channel/task/hailuo).

const id = '106916112212032'
const made = 'https://public-cdn-video.example/made.mp4?Expires=1769893200&Signature=s'
const base_resp = { status_code: 0, status_msg: 'success' }

const task = (status: string, more: Json = {}): Json => ({ task_id: id, status, file_id: '', base_resp, ...more })
const failed = (status_code: number, status_msg: string): Json =>
  task('Fail', { base_resp: { status_code, status_msg } })
const refusal = (status_code: number, status_msg: string): Json => ({
  task_id: '',
  base_resp: { status_code, status_msg },
})

export const video: RemoteVideoFacts = {
  model: 'MiniMax-Hailuo-02',
  create: '/v1/video_generation',
  read,
  id,
  created: { task_id: id, base_resp },
  states: {
    queued: [task('Queueing')],
    running: [task('Processing')],
    succeeded: [
      // The file has an id of its own; here it is the task's, by which the kit knows what is asked for.
      task('Success', { file_id: id, video_width: 1366, video_height: 768 }),
      {
        file: {
          file_id: 205_258_526_306_433,
          bytes: 0,
          created_at: 1_769_860_800,
          filename: 'output.mp4',
          download_url: made,
        },
        base_resp,
      },
    ],
    failed: [failed(1000, 'unknown error')],
    refused: [failed(1027, 'output new_sensitive')],
  },
  get: ['GET /v1/query/video_generation', 'GET /v1/files/retrieve'],
  video: made,
  refusals: {
    moderation: refusal(1026, 'input new_sensitive'),
    limit: refusal(1002, 'rate limit'),
    quota: refusal(1008, 'insufficient balance'),
  },
}

const RESOLUTIONS: Readonly<Record<string, string>> = { '512P': '480p', '768P': '720p', '1080P': '1080p' }

function read({ body }: Received): VideoMeaning {
  if (!isObject(body)) throw new Error('The body must be an object.')
  const { duration, resolution, aigc_watermark: watermark } = body
  const [firstFrame, lastFrame] = [text(body['first_frame_image']), text(body['last_frame_image'])]
  if (duration !== undefined && duration !== 6 && duration !== 10) throw new Error('duration must be 6 or 10.')
  if (resolution === '1080P' && duration === 10) throw new Error('At 1080P duration must be 6.')
  if (resolution === '512P' && (firstFrame === undefined || lastFrame !== undefined))
    throw new Error('512P is of a first frame alone.')
  return {
    text: text(body['prompt']),
    firstFrame,
    lastFrame,
    images: objects(body['subject_reference']).flatMap(({ image }) => (Array.isArray(image) ? image.map(String) : [])),
    duration: number(duration),
    resolution: resolution === undefined ? undefined : RESOLUTIONS[String(resolution)],
    // It has no word for it: videos of text are 16:9, others have the shape of the frame.
    ratio: firstFrame === undefined ? '16:9' : 'adaptive',
    ...(typeof watermark === 'boolean' && { watermark }),
  }
}
