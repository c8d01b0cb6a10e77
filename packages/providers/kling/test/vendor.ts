import { createHmac } from 'node:crypto'
import type { Received, RemoteVideoFacts } from '@headgate/conformance'

/**
 * Kling's tasks, written from the vendor's API reference (kling.ai/document-api: Omni-Video, Text to Video, General
 * Information with its service codes, Callback Protocol; as of the 3.0 series) and from its client in the AI SDK
 * (vercel/ai, packages/klingai, August 2026). No answer here was recorded.
 */

const task_id = '867283741759111202'
const url = 'https://v15-kling.klingai.example/8c1f/made-up.mp4'
const made = { created_at: 1_795_341_600_000, updated_at: 1_795_341_660_000 }

interface Image {
  readonly image_url: string
  readonly type?: 'first_frame' | 'end_frame'
}

interface Body {
  readonly model_name: string
  readonly prompt?: string
  readonly image_list?: readonly Image[]
  readonly video_list?: readonly {
    readonly video_url: string
    readonly refer_type: string
    readonly keep_original_sound: string
  }[]
  readonly mode?: 'std' | 'pro' | '4k'
  readonly sound?: 'on' | 'off'
  readonly aspect_ratio?: string
  readonly duration?: string
  readonly watermark_info?: { readonly enabled: boolean }
  readonly external_task_id: string
}

const KNOWN = [
  'model_name',
  'prompt',
  'image_list',
  'video_list',
  'mode',
  'sound',
  'aspect_ratio',
  'duration',
  'watermark_info',
  'external_task_id',
]
const MODES = { std: '720p', pro: '1080p', '4k': '4k' } as const

function ok(data: object) {
  return { code: 0, message: 'SUCCEED', request_id: 'c0656403', data }
}

function state(task_status: string, more: object = {}) {
  return [ok({ task_id, task_status, task_status_msg: '', task_info: {}, ...made, ...more })] as const
}

function refusal(code: number, message: string) {
  return { code, message, request_id: 'c0656403' }
}

export const vendor: RemoteVideoFacts = {
  model: 'kling-v3-omni',
  create: '/v1/videos/omni-video',
  read({ body: source }) {
    const body = source as Body
    const unknown = Object.keys(body).filter((key) => !KNOWN.includes(key))
    if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
    const images = body.image_list ?? []
    const frame = (type: string) => images.find((image) => image.type === type)?.image_url
    const firstFrame = frame('first_frame')
    if (images.some(({ image_url }) => image_url.startsWith('data:')))
      throw new Error('base64 comes without what a data URL begins with')
    if (frame('end_frame') && !firstFrame) throw new Error('an end frame needs a first one')
    if (!firstFrame && body.aspect_ratio === undefined)
      throw new Error('aspect_ratio is required without a first frame')
    if (firstFrame && body.aspect_ratio !== undefined) throw new Error('aspect_ratio is not taken with a first frame')
    if (!body.prompt) throw new Error('prompt must not be empty')
    if (body.duration !== undefined && !/^([3-9]|1[0-5])$/.test(body.duration))
      throw new Error('duration is a text from 3 to 15')
    if (body.video_list && body.sound === 'on') throw new Error('sound is off with a video')
    return {
      text: body.prompt,
      firstFrame,
      lastFrame: frame('end_frame'),
      images: images.filter(({ type }) => type === undefined).map(({ image_url }) => image_url),
      videos: body.video_list?.map(({ video_url }) => video_url),
      duration: body.duration === undefined ? undefined : Number(body.duration),
      ratio: firstFrame ? 'adaptive' : body.aspect_ratio,
      resolution: body.mode && MODES[body.mode],
      audio: body.sound && body.sound === 'on',
      watermark: body.watermark_info?.enabled,
      intent: body.external_task_id,
    }
  },
  id: task_id,
  created: ok({ task_id, task_status: 'submitted', task_info: {}, ...made }),
  states: {
    queued: state('submitted'),
    running: state('processing'),
    succeeded: state('succeed', {
      final_unit_deduction: '4',
      task_result: { videos: [{ id: '867283741759111203', url, watermark_url: `${url}?marked`, duration: '5.041' }] },
    }),
    failed: state('failed', { task_status_msg: 'The generation timed out.' }),
    refused: state('failed', { task_status_msg: 'Failure to pass the risk control system' }),
  },
  get: ['GET /v1/videos/omni-video/{id}'],
  find: {
    path: 'GET /v1/videos/omni-video',
    found: (external_task_id) =>
      ok([
        { task_id: '1', task_status: 'succeed', ...made },
        { task_id, task_status: 'submitted', task_info: { external_task_id }, ...made },
      ] as const),
    none: ok([{ task_id: '1', task_status: 'succeed', task_info: { external_task_id: 'another' }, ...made }]),
  },
  video: url,
  usage: { input: 0, output: 0, units: { seconds: 5 } },
  refusals: {
    moderation: [400, refusal(1301, 'Trigger the content security policy of the platform')],
    limit: [429, refusal(1303, 'parallel task over resource pack limit'), { 'retry-after': '30' }],
    quota: [429, refusal(1102, 'Account balance not enough')],
  },
  error: (status, message) => refusal(status === 401 ? 1002 : status >= 500 ? 5000 : 1201, message),
}

/** Whether a token is one that the vendor takes now: made anew of its first two parts. */
export function isSigned({ accessKey, secretKey }: { readonly accessKey: string; readonly secretKey: string }) {
  return ({ headers }: Received): boolean => {
    const [header = '', payload = '', signature] = (headers['authorization'] ?? '').replace('Bearer ', '').split('.')
    const { iss, exp, nbf } = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}') as Record<
      string,
      unknown
    >
    const now = Date.now() / 1000
    const isDue = Number(nbf) <= now && now < Number(exp) && Number(exp) <= now + 1800
    return (
      iss === accessKey &&
      isDue &&
      signature === createHmac('sha256', secretKey).update(`${header}.${payload}`).digest('base64url')
    )
  }
}
