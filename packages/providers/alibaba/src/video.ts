import {
  type Call,
  expiryOf,
  type HttpResponse,
  isObject,
  type Json,
  mediaUrl,
  number,
  object,
  refusedPart,
  type TaskStatus,
  taskId,
  text,
  type UpstreamError,
  type Usage,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { abilities, sizeOf } from './video-models.ts'

/**
 * Videos of Wan. Models since 2.7 have a list of media and a ratio. Earlier models have one field per kind of media,
 * and a size in pixels if there is no frame.
 *
 * @see https://www.alibabacloud.com/help/en/model-studio/wan3-video-generation-api-reference
 * @see https://www.alibabacloud.com/help/en/model-studio/image-to-video-general-api-reference
 * @see https://www.alibabacloud.com/help/en/model-studio/manage-asynchronous-tasks
 */
export const video: VideoSupport = {
  capabilities: abilities,
  accepts,
  create: {
    request: (request, call) => ({
      method: 'POST',
      url: `/api/v1/services/aigc/${request.model.includes('-kf2v') ? 'image2video' : 'video-generation'}/video-synthesis`,
      headers: { 'x-dashscope-async': 'enable' },
      body: { json: { model: request.model, input: inputOf(request), parameters: parametersOf(request, call) } },
    }),
    response: (answer) => ({ id: taskId(answer, 'output', 'task_id') }),
  },
  get: {
    request: ({ id }) => ({ method: 'GET', url: `/api/v1/tasks/${encodeURIComponent(id)}` }),
    response: ({ body }) => readTask(object(body) ?? {}),
  },
  cancel: {
    request: ({ id }) => ({ method: 'POST', url: `/api/v1/tasks/${encodeURIComponent(id)}/cancel` }),
    reads: isTooLate,
    response: (answer) => (isTooLate(answer) ? 'not-cancelable' : 'canceled'),
  },
  pollRate: { everyMs: 10_000, perSecond: 15 },
}

function isTooLate({ status, body }: HttpResponse): boolean {
  return status >= 400 && object(body)?.['code'] === 'UnsupportedOperation'
}

/** Tells if a model takes a list of media. */
function isListing(model: string): boolean {
  return /^wan(?:2\.[7-9]|[3-9])/.test(model)
}

/** Tells if a model takes a size in pixels. */
function isSized(model: string): boolean {
  return !isListing(model) && /-[tr]2v/.test(model)
}

/** Size in pixels. The default resolution is the model's highest one. */
function pixels({
  model,
  resolution = abilities(model).resolutions?.at(-1) ?? '720p',
  ratio = '16:9',
}: VideoRequest): string | undefined {
  return sizeOf(resolution, ratio)
}

function accepts(request: VideoRequest): readonly string[] {
  const { model, images, videos, duration, resolution, ratio } = request
  const isReferring = model.includes('-r2v')
  return [
    ...(isReferring && images.length + videos.length > 5
      ? ['the model accepts 5 references, images and videos together']
      : []),
    ...(isReferring && videos.length > 0 && duration !== undefined && duration > 10
      ? ['with a reference video, the maximum duration is 10 seconds']
      : []),
    ...(isSized(model) && pixels(request) === undefined
      ? [`there is no ${resolution ?? 'video'} with the ratio ${ratio ?? '16:9'}`]
      : []),
  ]
}

function inputOf(request: VideoRequest): Json {
  const { model, text, firstFrame, lastFrame, images, videos, audios } = request
  const prompt = text || undefined
  const isOfText = model.includes('-t2v')
  const audio_url = isOfText ? urlOf(audios[0]) : undefined
  if (!isListing(model)) {
    const references = [...images, ...videos].map(mediaUrl)
    return {
      prompt,
      audio_url,
      [model.includes('-kf2v') ? 'first_frame_url' : 'img_url']: urlOf(firstFrame),
      last_frame_url: urlOf(lastFrame),
      reference_urls: references.length > 0 ? references : undefined,
    }
  }
  const list = (type: string, media: readonly (VideoMedia | undefined)[]): Json[] =>
    media.flatMap((one) => (one ? [{ type, url: mediaUrl(one) }] : []))
  const media = [
    ...list('first_frame', [firstFrame]),
    ...list('last_frame', [lastFrame]),
    ...list('reference_image', images),
    ...list('reference_video', videos),
    ...list('reference_audio', isOfText ? [] : audios),
  ]
  return { prompt, audio_url, media: media.length > 0 ? media : undefined }
}

function urlOf(media: VideoMedia | undefined): string | undefined {
  return media && mediaUrl(media)
}

/** Maximum seed. */
const MOST_SEED = 2 ** 31 - 1

function parametersOf(request: VideoRequest, call: Call): Json {
  const { model, duration, ratio, resolution, seed = 0, audio, watermark } = request
  if (seed > MOST_SEED) call.lose('seed', `the maximum is ${MOST_SEED}`)
  const parameters = {
    duration,
    seed: seed > MOST_SEED ? undefined : request.seed,
    audio: (abilities(model).audio ?? 'asked') === 'asked' ? audio : undefined,
    watermark,
  }
  if (isSized(model)) return { ...parameters, size: (ratio ?? resolution) === undefined ? undefined : pixels(request) }
  const isShaped = isListing(model) && !model.includes('-i2v')
  return { ...parameters, resolution: resolution?.toUpperCase(), ratio: isShaped ? ratio : undefined }
}

/** `UNKNOWN` is the state of a task that does not exist, or that is older than a day. */
const STATUSES = new Map<unknown, TaskStatus>([
  ['PENDING', 'queued'],
  ['SUSPENDED', 'queued'],
  ['FAILED', 'failed'],
  ['CANCELED', 'cancelled'],
  ['CANCELLED', 'cancelled'],
  ['UNKNOWN', 'expired'],
])

function readTask({ output, usage }: Json): VideoTask {
  const { task_status, video_url, code, message } = object(output) ?? {}
  const url = task_status === 'SUCCEEDED' ? text(video_url) : undefined
  const expiresAt = url && expiryOf(url)
  const used = readUsage(object(usage))
  return {
    status: url ? 'succeeded' : (STATUSES.get(task_status) ?? 'running'),
    ...(url && { video: { url, ...(expiresAt && { expiresAt }) } }),
    ...(task_status === 'FAILED' && { error: failure(text(code) ?? '', text(message) ?? '') }),
    ...(used && { usage: used }),
  }
}

/** Charged usage: seconds of input and output together, rounded up. */
function readUsage(usage: Json | undefined): Usage | undefined {
  const seconds = number(usage?.['duration']) ?? number(usage?.['video_duration'])
  return seconds === undefined ? undefined : { input: 0, output: 0, units: { seconds: Math.ceil(seconds) } }
}

function failure(code: string, message: string): VideoFailure {
  const kind = FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? 'failed'
  return { kind: kind === 'refused-text' ? refusedPart(message, kind) : kind, message }
}

/** Failures by code; the first match applies. */
const FAILURES: readonly (readonly [RegExp, VideoFailure['kind']])[] = [
  [/^DataInspection|^IPInfringement/, 'refused-text'],
  [/^InvalidParameter|^InvalidURL|^BadRequest/, 'invalid-request'],
  [/^Throttling|^Arrearage/, 'over-quota'],
]

/** Error kinds by code; the first match applies. */
const KINDS: readonly (readonly [RegExp, UpstreamError['kind']])[] = [
  [/^DataInspection|^data_inspection|^IPInfringement/, 'content-policy'],
  [/^Arrearage|^PrepaidBillOverdue|^PostpaidBillOverdue|^AllocationQuota\.FreeTierOnly/, 'our-quota'],
  [/^Throttling/, 'rate-limited'],
  [/^ModelNotFound|^model_not_found/, 'unknown-model'],
]

/** Reads a code next to the message, or in `error`, the shape of chat completions. */
export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const error = isObject(body) && status >= 400 ? (object(body['error']) ?? body) : undefined
  const code = text(error?.['code'])
  const kind = code && KINDS.find(([pattern]) => pattern.test(code))?.[1]
  return kind ? { kind, message: text(error?.['message']) ?? '' } : undefined
}
