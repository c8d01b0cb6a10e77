import {
  type Call,
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  isObject,
  type Json,
  missingInputs,
  type Next,
  namedInputs,
  next,
  number,
  object,
  objects,
  refusedPart,
  type TaskRef,
  taskId,
  text,
  type VideoFailure,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { abilitiesOf, type EndpointTarget, targetFor } from './endpoints.ts'
import type { Inputs } from './inputs.ts'

/** Videos through the queue: the state of a task, then its result, which contains failures. */
export function videoSupport(inputs: Readonly<Record<string, Inputs>>): VideoSupport {
  const ownOf = (model: string): Inputs | undefined => (Object.hasOwn(inputs, model) ? inputs[model] : undefined)
  return {
    capabilities: abilitiesOf,
    accepts: (request) => missingInputs(request, targetFor(request, ownOf(request.model)).names),
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
      response: ({ status }) => (status < 300 ? 'canceled' : 'not-cancelable'),
      reads: ({ body }) => isObject(body) && (body['status'] === 'ALREADY_COMPLETED' || body['status'] === 'NOT_FOUND'),
    },
  }
}

function createTask(request: VideoRequest, { path, names, seconds }: EndpointTarget, call: Call): HttpRequest {
  const { text: prompt, duration, ratio, expiresAfter } = request
  const whole = duration === -1 ? 'auto' : duration
  const isWritten = typeof whole === 'number' && seconds !== 'number'
  const inputs = namedInputs(request, names, call, {
    duration: isWritten ? `${whole}${seconds === 'suffixed' ? 's' : ''}` : whole,
    ratio: ratio === 'adaptive' ? 'auto' : ratio,
  })
  const headers = { 'x-fal-request-timeout': String(expiresAfter) }
  return { method: 'POST', url: path, headers, body: { json: { prompt, ...inputs } } }
}

function readTask(answer: HttpResponse): TaskRef {
  const { status_url, response_url, cancel_url } = object(answer.body) ?? {}
  const [status, result, cancel] = [pathOf(status_url), pathOf(response_url), pathOf(cancel_url)]
  if (!status || !result || !cancel)
    throw new HeadgateError('upstream', 'fal accepted the task, but its response has no URL for it.')
  return { id: taskId(answer, 'request_id'), state: { status, result, cancel } }
}

/** Path below the base URL. The base URL can be a proxy, and the credential must not be sent to another host. */
function pathOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : undefined
}

function readStatus({ status: code, body }: HttpResponse, state: Json | undefined): VideoTask | Next {
  const { status } = object(body) ?? {}
  if (code === 404) throw new HeadgateError('not-found', 'fal does not have the request.')
  if (code >= 400) return failed(body)
  if (status === 'COMPLETED') return next({ method: 'GET', url: String(state?.['result']) })
  return { status: status === 'IN_QUEUE' ? 'queued' : 'running' }
}

function readResult({ status, headers, body }: HttpResponse): VideoTask {
  // The caller's deadline passed before the task began.
  if (status === 504 && headers['x-fal-request-timeout-type'] === 'user') return { status: 'expired' }
  if (status === 404) throw new HeadgateError('not-found', 'fal does not have the result.')
  if (status >= 400) return failed(body)
  const { video, videos, seed } = object(body) ?? {}
  const { url, content_type, duration, fps } = object(video) ?? objects(videos)[0] ?? {}
  if (typeof url !== 'string') return { status: 'failed', error: { kind: 'failed', message: 'fal returned no video.' } }
  const type = text(content_type)
  const output = { seed: number(seed), duration: number(duration), frameRate: number(fps) }
  return { status: 'succeeded', video: { url, ...(type?.startsWith('video/') && { type }) }, output }
}

function failed(body: unknown): VideoTask {
  const { detail, error_type } = object(body) ?? {}
  if (error_type === 'client_cancelled') return { status: 'cancelled' }
  const errors = objects(detail)
  const message = errors.map(({ msg }) => text(msg) ?? '').join('; ') || text(detail) || 'fal returned no reason.'
  return { status: 'failed', error: { kind: kindOf(errors), message } }
}

function kindOf(errors: readonly Json[]): VideoFailure['kind'] {
  const refused = errors.find(({ type }) => type === 'content_policy_violation')
  if (refused) return refusedPart(JSON.stringify(refused['loc'] ?? ''), 'refused-output')
  const isOurs =
    errors.length > 0 && !errors.some(({ type }) => /server_error|timeout|service|no_media/.test(String(type)))
  return isOurs ? 'invalid-request' : 'failed'
}
