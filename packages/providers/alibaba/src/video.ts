import {
  type Call,
  expiryOf,
  type HttpResponse,
  isObject,
  type Json,
  number,
  object,
  type TaskStatus,
  text,
  type UpstreamError,
  type Usage,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { z } from 'zod'
import { abilities, sizeOf } from './video-models.ts'

const Created = z.object({ output: z.object({ task_id: z.string().min(1) }) })

/**
 * Videos of Wan. From 2.7 on its models take a list of media and a ratio; those before have a field for each kind of
 * media, and take pixels where there is no frame.
 *
 * @see https://www.alibabacloud.com/help/en/model-studio/wan3-video-generation-api-reference
 * @see https://www.alibabacloud.com/help/en/model-studio/image-to-video-general-api-reference
 * @see https://www.alibabacloud.com/help/en/model-studio/manage-asynchronous-tasks
 */
export const video: VideoSupport = {
  can: abilities,
  accepts,
  create: {
    request: (request, call) => ({
      method: 'POST',
      url: `/api/v1/services/aigc/${request.model.includes('-kf2v') ? 'image2video' : 'video-generation'}/video-synthesis`,
      headers: { 'x-dashscope-async': 'enable' },
      body: { json: { model: request.model, input: inputOf(request), parameters: parametersOf(request, call) } },
    }),
    response: ({ body }) => ({ id: Created.parse(body).output.task_id }),
  },
  get: {
    request: ({ id }) => ({ method: 'GET', url: `/api/v1/tasks/${encodeURIComponent(id)}` }),
    response: ({ body }) => readTask(object(body) ?? {}),
  },
  cancel: {
    request: ({ id }) => ({ method: 'POST', url: `/api/v1/tasks/${encodeURIComponent(id)}/cancel` }),
    reads: isTooLate,
    response: (answer) => (isTooLate(answer) ? 'not-cancellable' : 'cancelled'),
  },
  pace: { everyMs: 10_000, perSecond: 15 },
}

function isTooLate({ status, body }: HttpResponse): boolean {
  return status >= 400 && object(body)?.['code'] === 'UnsupportedOperation'
}

/** Whether a model takes a list of media. */
function isListing(model: string): boolean {
  return /^wan(?:2\.[7-9]|[3-9])/.test(model)
}

/** Whether it takes pixels. */
function isSized(model: string): boolean {
  return !isListing(model) && /-[tr]2v/.test(model)
}

/** The greatest that it has is its own default. */
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
    ...(isReferring && images.length + videos.length > 5 ? ['it takes 5 references, images and videos together'] : []),
    ...(isReferring && videos.length > 0 && duration !== undefined && duration > 10
      ? ['with a reference video its videos last 10 seconds at most']
      : []),
    ...(isSized(model) && pixels(request) === undefined
      ? [`it makes no ${resolution ?? 'video'} of ${ratio ?? '16:9'}`]
      : []),
  ]
}

function inputOf(request: VideoRequest): Json {
  const { model, firstFrame, lastFrame, images, videos, audios } = request
  const prompt = request.text === '' ? {} : { prompt: request.text }
  const [sound] = audios
  const isOfText = model.includes('-t2v')
  const driven = isOfText && sound ? { audio_url: urlOf(sound) } : {}
  if (isListing(model)) {
    const media = [
      ...(firstFrame ? [{ type: 'first_frame', url: urlOf(firstFrame) }] : []),
      ...(lastFrame ? [{ type: 'last_frame', url: urlOf(lastFrame) }] : []),
      ...images.map((one) => ({ type: 'reference_image', url: urlOf(one) })),
      ...videos.map((one) => ({ type: 'reference_video', url: urlOf(one) })),
      ...(isOfText ? [] : audios.map((one) => ({ type: 'reference_audio', url: urlOf(one) }))),
    ]
    return { ...prompt, ...driven, ...(media.length > 0 && { media }) }
  }
  const references = [...images, ...videos].map(urlOf)
  const isBetween = model.includes('-kf2v')
  return {
    ...prompt,
    ...driven,
    ...(firstFrame && { [isBetween ? 'first_frame_url' : 'img_url']: urlOf(firstFrame) }),
    ...(lastFrame && { last_frame_url: urlOf(lastFrame) }),
    ...(references.length > 0 && { reference_urls: references }),
  }
}

/** The greatest seed that it takes. */
const MOST_SEED = 2 ** 31 - 1

function parametersOf(request: VideoRequest, call: Call): Json {
  const { model, duration, ratio, resolution, seed, audio, watermark } = request
  if (seed !== undefined && seed > MOST_SEED) call.lose('seed', `the greatest that it takes is ${MOST_SEED}`)
  const isShaped = isListing(model) && !model.includes('-i2v')
  const shape = isSized(model)
    ? (ratio ?? resolution) !== undefined && { size: pixels(request) }
    : {
        ...(resolution !== undefined && { resolution: resolution.toUpperCase() }),
        ...(ratio !== undefined && isShaped && { ratio }),
      }
  return {
    ...shape,
    ...(duration !== undefined && { duration }),
    ...(seed !== undefined && seed <= MOST_SEED && { seed }),
    ...(audio !== undefined && (abilities(model).audio ?? 'asked') === 'asked' && { audio }),
    ...(watermark !== undefined && { watermark }),
  }
}

function urlOf({ url, base64, type }: VideoMedia): string {
  return url ?? `data:${type};base64,${base64}`
}

/** A task that is not known, or not any more after a day, is `UNKNOWN`. */
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

/** What is charged: seconds of input and output together, begun ones whole. */
function readUsage(usage: Json | undefined): Usage | undefined {
  const seconds = number(usage?.['duration']) ?? number(usage?.['video_duration'])
  return seconds === undefined ? undefined : { input: 0, output: 0, units: { seconds: Math.ceil(seconds) } }
}

function failure(code: string, message: string): VideoFailure {
  if (/^DataInspection|^IPInfringement/.test(code)) {
    const place = /output/i.test(message)
      ? 'OutputVideo'
      : /image|video|audio|media/i.test(message)
        ? 'InputImage'
        : 'InputText'
    return { code: `${place}SensitiveContentDetected`, message }
  }
  if (/^InvalidParameter|^InvalidURL|^BadRequest/.test(code)) return { code: 'InvalidParameter', message }
  return { code: /^Throttling|^Arrearage/.test(code) ? 'QuotaExceeded' : 'InternalServiceError', message }
}

/** By code; the first that matches counts. @see https://www.alibabacloud.com/help/en/model-studio/error-code */
const KINDS: readonly (readonly [RegExp, UpstreamError['kind']])[] = [
  [/^DataInspection|^data_inspection|^IPInfringement/, 'content-policy'],
  [/^Arrearage|^PrepaidBillOverdue|^PostpaidBillOverdue|^AllocationQuota\.FreeTierOnly/, 'our-quota'],
  [/^Throttling/, 'rate-limited'],
  [/^ModelNotFound|^model_not_found/, 'unknown-model'],
]

/** A code beside the message, or in the shape of chat completions within `error`. */
export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const error = isObject(body) && status >= 400 ? (object(body['error']) ?? body) : undefined
  const code = text(error?.['code'])
  const kind = code && KINDS.find(([pattern]) => pattern.test(code))?.[1]
  return kind ? { kind, message: text(error?.['message']) ?? '' } : undefined
}
