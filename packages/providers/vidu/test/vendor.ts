import type { RemoteVideoFacts } from '@headgate/conformance'

/**
 * Vidu's tasks, written from https://platform.vidu.com/docs: text-to-video, image-to-video, start-end-to-video,
 * reference-to-video, get-generation, cancel-generation, error-code. No answer here was recorded.
 */

const task_id = '870412239101198336'
const url = 'https://prod-ss-vidu.s3.example/made-up/video.mp4?X-Amz-Signature=made-up'
const marked = url.replace('video.mp4', 'marked.mp4')

interface Body {
  readonly model: string
  readonly prompt?: string
  readonly images?: readonly string[]
  readonly videos?: readonly string[]
  readonly duration?: number
  readonly seed?: number
  readonly aspect_ratio?: string
  readonly resolution?: string
  readonly audio?: boolean
  readonly watermark?: boolean
  readonly payload?: string
}

const FIELDS = ['model', 'prompt', 'images', 'duration', 'seed', 'resolution', 'audio', 'watermark', 'payload']
/** Fields and the number of images, by endpoint. */
const ENDPOINTS: Readonly<
  Record<string, { readonly fields: readonly string[]; readonly images: readonly [number, number] }>
> = {
  text2video: { fields: [...FIELDS, 'aspect_ratio'], images: [0, 0] },
  img2video: { fields: FIELDS, images: [1, 1] },
  'start-end2video': { fields: FIELDS, images: [2, 2] },
  reference2video: { fields: [...FIELDS, 'aspect_ratio', 'videos'], images: [0, 7] },
}

function state(name: string, more: object = {}) {
  return [{ state: name, err_code: '', credits: 0, payload: '', creations: [], ...more }] as const
}

function refusal(code: number, reason: string, message: string) {
  return { code, reason, message, metadata: { trace_id: '04e5c2fe159ff7c574acd0424e78c35f' } }
}

export const vendor: RemoteVideoFacts = {
  model: 'viduq3-pro',
  create: ['/ent/v2/text2video', '/ent/v2/img2video', '/ent/v2/start-end2video', '/ent/v2/reference2video'],
  read({ path, body: source }) {
    const body = source as Body
    const name = path.replace('/ent/v2/', '')
    const endpoint = ENDPOINTS[name]
    if (!endpoint) throw new Error(`no endpoint ${name}`)
    const [least, most] = endpoint.images
    const images = body.images ?? []
    const unwanted = Object.keys(body).filter((field) => !endpoint.fields.includes(field))
    if (unwanted.length > 0) throw new Error(`unwanted field: ${unwanted.join(', ')}`)
    if (images.length < least || images.length > most) throw new Error('field item count out of range: images')
    if (images.some((image) => !/^(https?:|data:image\/\w+;base64,)/.test(image)))
      throw new Error('invalid field: images')
    if (least === 0 && !body.prompt) throw new Error('field is missing or empty: prompt')
    const isReference = name === 'reference2video'
    return {
      text: body.prompt,
      firstFrame: isReference ? undefined : images[0],
      lastFrame: isReference ? undefined : images[1],
      images: isReference ? images : undefined,
      videos: body.videos,
      duration: body.duration,
      ratio: isReference || images.length === 0 ? body.aspect_ratio : 'adaptive',
      resolution: body.resolution === '540p' ? '480p' : body.resolution,
      seed: body.seed,
      audio: body.audio,
      watermark: body.watermark,
      intent: body.payload,
    }
  },
  id: task_id,
  created: { task_id, state: 'created', model: 'viduq3-pro', credits: 150, created_at: '2026-11-22T10:00:00Z' },
  states: {
    queued: state('queueing'),
    running: state('processing'),
    succeeded: state('success', {
      credits: 150,
      creations: [{ id: '1', url, cover_url: url.replace('video.mp4', 'cover.jpeg'), watermarked_url: marked }],
    }),
    failed: state('failed', { err_code: 'InternalServiceFailure' }),
    refused: state('failed', { err_code: 'CreationPolicyViolation' }),
    cancelled: state('failed', { err_code: 'UserCancelled' }),
  },
  get: ['GET /ent/v2/tasks/{id}/creations'],
  cancel: {
    path: 'POST /ent/v2/tasks/{id}/cancel',
    done: {},
    late: [400, refusal(400, 'BadRequest', 'task state is scheduled, can not cancel')],
  },
  video: url,
  usage: { input: 0, output: 0, units: { credits: 150 } },
  refusals: {
    moderation: [400, refusal(400, 'AuditSubmitIllegal', 'submit is illegal')],
    limit: [429, refusal(429, 'QuotaExceeded', 'quota exceeded'), { 'retry-after': '30' }],
    quota: [400, refusal(400, 'CreditInsufficient', 'insufficient credits')],
  },
  error: (status, message) =>
    refusal(status, status === 401 ? 'Unauthorized' : status >= 500 ? 'InternalServiceFailure' : 'BadRequest', message),
}
