import {
  type Call,
  type Exchange,
  expiryOf,
  type HttpResponse,
  isObject,
  type Json,
  mediaUrl,
  type Next,
  next,
  number,
  object,
  type TaskRef,
  type TaskStatus,
  taskId,
  text,
  type UpstreamError,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { abilities, isSecond, sizeOf } from './video-models.ts'

const get: Exchange<TaskRef, VideoTask> = {
  request: (ref) => ({
    method: 'GET',
    url: isOfSecond(ref)
      ? `/v2/query/video_generation/${encodeURIComponent(ref.id)}`
      : `/v1/query/video_generation?task_id=${encodeURIComponent(ref.id)}`,
  }),
  response(answer, ref, [query]) {
    const body = object(answer.body) ?? {}
    if (isOfSecond(ref)) return readSecond(object(body['task']) ?? {}, answer)
    return query ? done(object(body['file'])?.['download_url'], answer) : readFirst(body)
  },
}

/**
 * Videos: H3 with the second version of the API, earlier models with the first version, whose videos are files that
 * need another request.
 *
 * @see https://platform.minimax.io/docs/api-reference/video-generation-v2-create
 * @see https://platform.minimax.io/docs/api-reference/video-generation-t2v
 */
export const video: VideoSupport = {
  capabilities: abilities,
  accepts,
  create: {
    request: (request, call) =>
      isSecond(request.model)
        ? { method: 'POST', url: '/v2/video_generation', body: { json: secondBody(request, call) } }
        : { method: 'POST', url: '/v1/video_generation', body: { json: firstBody(request, call) } },
    response: (answer, { model }) => ({ id: taskId(answer, 'task_id'), state: { isSecond: isSecond(model) } }),
  },
  get,
  cancel: {
    // The first version has no cancellation: the task is read .
    request: (ref, call) =>
      isOfSecond(ref)
        ? { method: 'DELETE', url: `/v2/video_generation/${encodeURIComponent(ref.id)}` }
        : get.request(ref, call),
    reads: isTooLate,
    response: (answer, ref) =>
      isOfSecond(ref) && !isTooLate(answer) && object(answer.body)?.['action'] !== 'deleted'
        ? 'canceled'
        : 'not-cancelable',
  },
  pollRate: { everyMs: 10_000 },
}

function isOfSecond({ state }: TaskRef): boolean {
  return state?.['isSecond'] === true
}

/** All invalid requests have one code, so the message distinguishes them. */
function isTooLate(answer: HttpResponse): boolean {
  return answer.status >= 400 && /\b(cancel|delet)/i.test(readError(answer)?.message ?? '')
}

function accepts({ model, text, duration, ratio, resolution, firstFrame, lastFrame }: VideoRequest): readonly string[] {
  const isFramed = firstFrame !== undefined || lastFrame !== undefined
  const small =
    model.startsWith('MiniMax-Hailuo-02') && resolution === '480p' && (!firstFrame || lastFrame !== undefined)
  return [
    ...(isSecond(model) && text.trim() === '' ? ['a prompt is required'] : []),
    ...(isFramed && ratio !== undefined && ratio !== 'adaptive'
      ? ['the video has the ratio of the frame: omit `ratio`']
      : []),
    ...(!isSecond(model) && resolution === '1080p' && duration === 10 ? ['at 1080p, the duration is 6 seconds'] : []),
    ...(small ? ['480p requires a first frame'] : []),
  ]
}

function firstBody(request: VideoRequest, call: Call): Json {
  const { model, text, duration, resolution, firstFrame, lastFrame, images, watermark } = request
  // The first version has no ratio: a video from text is 16:9.
  ratioOf(request, call)
  return {
    model,
    prompt: text || undefined,
    duration,
    resolution: resolution && sizeOf(model, resolution, call),
    first_frame_image: firstFrame && mediaUrl(firstFrame),
    last_frame_image: lastFrame && mediaUrl(lastFrame),
    subject_reference: images.length > 0 ? [{ type: 'character', image: images.map(mediaUrl) }] : undefined,
    aigc_watermark: watermark,
  }
}

function secondBody(request: VideoRequest, call: Call): Json {
  const { model, text, duration = 5, resolution = '720p', firstFrame, lastFrame, images, videos, audios } = request
  const items = (type: string, role: string, media: readonly (VideoMedia | undefined)[]): Json[] =>
    media.flatMap((one) => (one ? [{ type, [type]: { url: mediaUrl(one) }, role }] : []))
  return {
    model,
    content: [
      { type: 'text', text },
      ...items('image_url', 'first_frame', [firstFrame]),
      ...items('image_url', 'last_frame', [lastFrame]),
      ...items('image_url', 'reference_image', images),
      ...items('video_url', 'reference_video', videos),
      ...items('audio_url', 'reference_audio', audios),
    ],
    duration,
    resolution: sizeOf(model, resolution, request.resolution === undefined ? undefined : call),
    ratio: ratioOf(request, call),
    aigc_watermark: request.watermark,
  }
}

/** Only a video from text needs a ratio. */
function ratioOf({ ratio, firstFrame, lastFrame, images, videos }: VideoRequest, call: Call): string | undefined {
  const hasShape = firstFrame !== undefined || lastFrame !== undefined || images.length + videos.length > 0
  if (hasShape || (ratio !== undefined && ratio !== 'adaptive')) return ratio
  if (ratio) call.lose('ratio', 'there is no input with a ratio to follow: set to 16:9', 'changed')
  return '16:9'
}

const STATUSES = new Map<unknown, TaskStatus>([
  ['Preparing', 'queued'],
  ['Queueing', 'queued'],
  ['queued', 'queued'],
  ['pending', 'queued'],
  ['Fail', 'failed'],
  ['failed', 'failed'],
  ['canceled', 'cancelled'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
])

function statusOf(word: unknown): TaskStatus {
  return STATUSES.get(word) ?? 'running'
}

function readSecond(task: Json, answer: HttpResponse): VideoTask {
  const { status, content, usage, error, ratio, duration } = task
  const seconds = number(object(usage)?.['total_seconds'])
  const said = object(error)
  return {
    ...(status === 'succeeded' ? done(object(content)?.['url'], answer) : { status: statusOf(status) }),
    ...(said && { error: failure(said['code'], said['message']) }),
    ...(seconds !== undefined && { usage: { input: 0, output: 0, units: { seconds } } }),
    output: { ratio: text(ratio), duration: number(duration) },
  }
}

function readFirst({ status, file_id, base_resp }: Json): VideoTask | Next {
  if (status === 'Success' && file_id)
    return next({ method: 'GET', url: `/v1/files/retrieve?file_id=${encodeURIComponent(String(file_id))}` })
  const { status_code, status_msg } = object(base_resp) ?? {}
  return { status: statusOf(status), ...(status === 'Fail' && { error: failure(status_code, status_msg) }) }
}

/** URLs are documented to last nine hours. Another request returns a new URL. */
function done(url: unknown, { headers }: HttpResponse): Pick<VideoTask, 'status' | 'video'> {
  if (typeof url !== 'string' || url === '') return { status: 'running' }
  const expiresAt = expiryOf(url) ?? Date.parse(headers['date'] ?? '') + 9 * 3_600_000
  return { status: 'succeeded', video: { url, ...(!Number.isNaN(expiresAt) && { expiresAt }) } }
}

/** Kinds of errors and failures by code. */
const CODES = new Map<number, readonly [error: UpstreamError['kind'], failure: VideoFailure['kind']]>([
  [1002, ['rate-limited', 'over-quota']],
  [1004, ['our-credential', 'failed']],
  [1008, ['our-quota', 'over-quota']],
  [1026, ['content-policy', 'refused-text']],
  [1027, ['content-policy', 'refused-output']],
  [1039, ['rate-limited', 'over-quota']],
  [2013, ['invalid-request', 'invalid-request']],
  [2049, ['our-credential', 'failed']],
  [2056, ['our-quota', 'over-quota']],
])

function failure(code: unknown, message: unknown): VideoFailure {
  return { kind: CODES.get(Number(code))?.[1] ?? 'failed', message: text(message) ?? '' }
}

/**
 * The first version returns status 200 and a code; the second version and chat return a status and a message that ends
 * in the code.
 */
export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  if (!isObject(body)) return undefined
  const own = object(body['base_resp'])
  const message = text(own?.['status_msg']) ?? text(object(body['error'])?.['message']) ?? ''
  const code = number(own?.['status_code']) ?? Number(/\((\d{4})\)\s*$/.exec(message)?.[1] ?? 0)
  // The response to a failed task has a code as well.
  if (code === 0 || (status < 400 && (own === undefined || body['status'] === 'Fail'))) return undefined
  const kind = CODES.get(code)?.[0] ?? 'upstream'
  return {
    kind: kind === 'invalid-request' && /task_id|\btask\b.*\bnot (?:found|exist)/i.test(message) ? 'not-found' : kind,
    message,
  }
}
