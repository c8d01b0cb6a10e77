import {
  type Call,
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  isObject,
  type Json,
  mediaUrl,
  type Next,
  next,
  number,
  object,
  objects,
  refusedPart,
  type TaskRef,
  taskId,
  text,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { abilitiesOf, type Target, targetFor } from './endpoints.ts'
import type { Input, Inputs } from './inputs.ts'

/** Preferences: declared as lost if the model has no input for them. */
const PREFERENCES = ['seed', 'cameraFixed', 'user'] as const
/** What a video is not the one asked for without. */
const WORDS = {
  firstFrame: 'a first frame',
  lastFrame: 'a last frame',
  images: 'reference images',
  videos: 'reference videos',
  audios: 'reference audio',
  duration: 'a duration',
  ratio: 'a ratio with these inputs',
  resolution: 'a resolution',
} as const satisfies Partial<Record<Input, string>>

/** Videos by the queue: a task's state, and once it is done its result, which is where failures show. */
export function videoSupport(inputs: Readonly<Record<string, Inputs>>): VideoSupport {
  const ownOf = (model: string): Inputs | undefined => (Object.hasOwn(inputs, model) ? inputs[model] : undefined)
  return {
    can: abilitiesOf,
    accepts(request) {
      const { names } = targetFor(request, ownOf(request.model))
      const missing = (Object.keys(WORDS) as (keyof typeof WORDS)[]).filter(
        (input) => isAsked(request, input) && !names[input],
      )
      return missing.map((input) => `it takes no ${WORDS[input].replace(/^a /, '')}`)
    },
    create: {
      request: (request, call) => createTask(request, targetFor(request, ownOf(request.model)), call),
      response: readTask,
    },
    get: {
      request: ({ state }) => ({ method: 'GET', url: String(state?.['status']) }),
      response: (answer, { state }, earlier) => (earlier.length > 0 ? readResult(answer) : readStatus(answer, state)),
      reads: ({ status, body }) =>
        status === 404 ||
        (isObject(body) && (typeof body['error_type'] === 'string' || objects(body['detail']).length > 0)),
    },
    cancel: {
      request: ({ state }) => ({ method: 'PUT', url: String(state?.['cancel']) }),
      response: ({ status }) => (status < 300 ? 'cancelled' : 'not-cancellable'),
      reads: ({ body }) => isObject(body) && (body['status'] === 'ALREADY_COMPLETED' || body['status'] === 'NOT_FOUND'),
    },
  }
}

function isAsked(request: VideoRequest, input: Input): boolean {
  const value = request[input]
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== 'adaptive' && value !== -1
}

function createTask(request: VideoRequest, { path, names, seconds }: Target, call: Call): HttpRequest {
  const { text: prompt, firstFrame, lastFrame, images, videos, audios, duration, ratio, expiresAfter } = request
  for (const input of PREFERENCES)
    if (request[input] !== undefined && !names[input]) call.lose(input, 'the model has no such input')
  if (request.audio !== undefined && !names.audio && abilitiesOf(request.model).audio === undefined)
    call.lose('audio', 'the model has no such input')
  const whole = duration === undefined || duration > 0 ? duration : 'auto'
  const values: { [Key in Input]: unknown } = {
    firstFrame: firstFrame && mediaUrl(firstFrame),
    lastFrame: lastFrame && mediaUrl(lastFrame),
    images: urlsOf(images),
    videos: urlsOf(videos),
    audios: urlsOf(audios),
    duration:
      whole === 'auto' || seconds === 'number' ? whole : whole && `${whole}${seconds === 'suffixed' ? 's' : ''}`,
    ratio: ratio === 'adaptive' ? 'auto' : ratio,
    resolution: request.resolution,
    seed: request.seed,
    audio: request.audio,
    cameraFixed: request.cameraFixed,
    user: request.user,
  }
  const fields = Object.entries(values).flatMap(([input, value]): [string, unknown][] => {
    const name = names[input as Input]
    return name && value !== undefined ? [[name, value]] : []
  })
  const json = { prompt, ...Object.fromEntries(fields) }
  return { method: 'POST', url: path, headers: { 'x-fal-request-timeout': String(expiresAfter) }, body: { json } }
}

function urlsOf(media: readonly VideoMedia[]): string[] | undefined {
  return media.length > 0 ? media.map(mediaUrl) : undefined
}

function readTask(answer: HttpResponse): TaskRef {
  const { status_url, response_url, cancel_url } = object(answer.body) ?? {}
  const [status, result, cancel] = [pathOf(status_url), pathOf(response_url), pathOf(cancel_url)]
  if (!status || !result || !cancel)
    throw new HeadgateError('upstream', 'fal accepted the task but its response lacks an address of it.')
  return { id: taskId(answer, 'request_id'), state: { status, result, cancel } }
}

/** Below the base URL, which may be that of a proxy: the credential goes nowhere else. */
function pathOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : undefined
}

function readStatus({ status: code, body }: HttpResponse, state: Json | undefined): VideoTask | Next {
  const { status } = object(body) ?? {}
  if (code === 404) throw new HeadgateError('not-found', 'fal does not know the request.')
  if (code >= 400) return failed(body)
  if (status === 'COMPLETED') return next({ method: 'GET', url: String(state?.['result']) })
  return { status: status === 'IN_QUEUE' ? 'queued' : 'running' }
}

function readResult({ status, headers, body }: HttpResponse): VideoTask {
  // The deadline is the one that was asked for: nobody had begun by then.
  if (status === 504 && headers['x-fal-request-timeout-type'] === 'user') return { status: 'expired' }
  if (status === 404) throw new HeadgateError('not-found', 'fal does not have the result.')
  if (status >= 400) return failed(body)
  const { video, videos, seed } = object(body) ?? {}
  const { url, content_type, duration, fps } = object(video) ?? objects(videos)[0] ?? {}
  if (typeof url !== 'string') return { status: 'failed', error: { kind: 'failed', message: 'fal gave no video.' } }
  const type = text(content_type)
  const output = { seed: number(seed), duration: number(duration), frameRate: number(fps) }
  return { status: 'succeeded', video: { url, ...(type?.startsWith('video/') && { type }) }, output }
}

function failed(body: unknown): VideoTask {
  const { detail, error_type } = object(body) ?? {}
  if (error_type === 'client_cancelled') return { status: 'cancelled' }
  const errors = objects(detail)
  const message = errors.map(({ msg }) => text(msg) ?? '').join('; ') || text(detail) || 'fal gave no reason.'
  return { status: 'failed', error: { kind: kindOf(errors), message } }
}

function kindOf(errors: readonly Json[]): VideoFailure['kind'] {
  const refused = errors.find(({ type }) => type === 'content_policy_violation')
  if (refused) return refusedPart(JSON.stringify(refused['loc'] ?? ''), 'refused-output')
  const isOurs =
    errors.length > 0 && !errors.some(({ type }) => /server_error|timeout|service|no_media/.test(String(type)))
  return isOurs ? 'invalid-request' : 'failed'
}
