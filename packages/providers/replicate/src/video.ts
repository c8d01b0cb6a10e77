import {
  type Call,
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  missingInputs,
  namedInputs,
  number,
  object,
  refusalIn,
  taskId,
  text,
  type VideoCapabilities,
  type VideoFailure,
  type VideoInputNames,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { USUAL } from './inputs.ts'
import { models } from './models.ts'

/** Milliseconds after the end of a prediction until its output is deleted. */
const KEPT_MS = 3_600_000
/** Maximum deadline in seconds. A prediction runs for up to half an hour; its time in the queue is not documented. */
const LONGEST_DEADLINE = 86_400
/** Videos as predictions: official models by name, `owner/name`, other models by version, `owner/name:version`. */
export function videoSupport(inputs: Readonly<Record<string, VideoInputNames>>): VideoSupport {
  const namesOf = (model: string): VideoInputNames => {
    const bare = bareId(model)
    const own = Object.hasOwn(inputs, model) ? inputs[model] : Object.hasOwn(inputs, bare) ? inputs[bare] : undefined
    return { ...USUAL, ...models.find(({ id }) => id === bare)?.names, ...own }
  }
  return {
    capabilities: abilitiesOf,
    accepts: (request) => missingInputs(request, namesOf(request.model)),
    create: {
      request: (request, call) => createTask(request, namesOf(request.model), call),
      response: (answer) => ({ id: taskId(answer, 'id') }),
    },
    get: {
      request: ({ id }) => ({ method: 'GET', url: `/predictions/${encodeURIComponent(id)}` }),
      response: readPrediction,
      reads: ({ status }) => status === 404,
    },
    cancel: {
      request: ({ id }) => ({ method: 'POST', url: `/predictions/${encodeURIComponent(id)}/cancel` }),
      // A finished prediction is returned unchanged.
      response: ({ body }) =>
        /^(succeeded|failed)$/.test(String(object(body)?.['status'])) ? 'not-cancelable' : 'canceled',
    },
  }
}

/** Id of the model without its version. */
function bareId(model: string): string {
  const end = model.indexOf(':')
  return end < 0 ? model : model.slice(0, end)
}

function abilitiesOf(model: string): VideoCapabilities {
  return models.find(({ id }) => id === bareId(model))?.can ?? {}
}

function createTask(request: VideoRequest, names: VideoInputNames, call: Call): HttpRequest {
  const { model, text: prompt, expiresAfter } = request
  const input = { prompt, ...namedInputs(request, names, call) }
  const version = model.slice(bareId(model).length + 1)
  const headers = { 'cancel-after': `${Math.min(expiresAfter, LONGEST_DEADLINE)}s` }
  if (version !== '') return { method: 'POST', url: '/predictions', headers, body: { json: { version, input } } }
  const path = model.split('/').map(encodeURIComponent).join('/')
  return { method: 'POST', url: `/models/${path}/predictions`, headers, body: { json: { input } } }
}

function isStopped(status: unknown): boolean {
  return status === 'canceled' || status === 'aborted'
}

function readPrediction({ status: code, body }: HttpResponse): VideoTask {
  if (code === 404) throw new HeadgateError('not-found', 'Replicate does not have the prediction.')
  const { status, output, error, completed_at, deadline, data_removed } = object(body) ?? {}
  if (status === 'starting') return { status: 'queued' }
  if (isStopped(status)) {
    // An abort before the deadline was a cancellation.
    const isLate = status === 'aborted' || (timeOf(completed_at) ?? 0) >= (timeOf(deadline) ?? Number.POSITIVE_INFINITY)
    return { status: isLate ? 'expired' : 'cancelled' }
  }
  if (status === 'failed') return { status, error: failureOf(text(error) || 'Replicate returned no reason.') }
  if (status !== 'succeeded') return { status: 'running' }
  const url = text(Array.isArray(output) ? output[0] : (object(output)?.['video'] ?? output))
  const message = data_removed === true ? 'The output has been deleted.' : 'Replicate returned no video.'
  if (!url) return { status: 'failed', error: { kind: 'failed', message } }
  const ended = timeOf(completed_at)
  return { status, video: { url, ...(ended !== undefined && { expiresAt: ended + KEPT_MS }) } }
}

function timeOf(value: unknown): number | undefined {
  return typeof value === 'string' ? number(Date.parse(value)) : undefined
}

/** Failure of a model, classified by its message. */
function failureOf(message: string): VideoFailure {
  return { kind: refusalIn(message) ?? 'failed', message }
}
