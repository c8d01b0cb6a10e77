import { z } from 'zod'
import {
  defineProvider,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  isObject,
  type Json,
  type Next,
  next,
  object,
  objects,
  type TaskRef,
  text,
  type VideoRequest,
  type VideoTask,
} from '../../../src/provider.ts'

/** How long a task is left alone before it is asked for again, in milliseconds. */
const PAUSE_MS = 2_000

/** Video whose result is a second request after the task is done. */
export const fal = defineProvider(
  {
    id: 'fal',
    title: 'fal',
    config: z.strictObject({ apiKey: z.string() }),
    env: { apiKey: ['FAL_API_KEY', 'FAL_KEY'] },
  },
  ({ apiKey }) => ({
    baseUrl: 'https://queue.fal.run',
    credential: { kind: 'header', name: 'authorization', value: `Key ${apiKey}` },
    video: {
      can: { frames: 'first', images: 0, videos: 0, audios: 0 },
      create: { request: createTask, response: ({ body }) => readTask(fields(body)) },
      get: {
        request: ({ state }) => ({ method: 'GET', url: String(state?.['status']) }),
        response: readStatus,
      },
      cancel: {
        request: ({ state }) => ({ method: 'PUT', url: String(state?.['cancel']) }),
        response: ({ status }) => (status < 300 ? 'cancelled' : 'not-cancellable'),
      },
    },
    readError: ({ status, body }) =>
      status === 422
        ? {
            kind: 'invalid-request',
            message: objects(fields(body)['detail'])
              .map(({ msg }) => text(msg) ?? '')
              .join('; '),
          }
        : undefined,
  }),
)

function createTask({ model, text: prompt, firstFrame, duration, ratio, seed }: VideoRequest): HttpRequest {
  const body = { prompt, image_url: firstFrame?.url, duration, aspect_ratio: ratio, seed }
  return { method: 'POST', url: `/${model}`, body: { json: body } }
}

function readTask({ request_id, status_url, response_url, cancel_url }: Json): TaskRef {
  return { id: String(request_id), state: { status: status_url, result: response_url, cancel: cancel_url } }
}

function readStatus({ body }: HttpResponse, { state }: TaskRef): VideoTask | Next {
  const { status, video } = fields(body)
  if (isObject(video)) return { status: 'succeeded', video: { url: String(video['url']) } }
  if (status === 'COMPLETED') return next({ method: 'GET', url: String(state?.['result']) })
  return { status: status === 'IN_QUEUE' ? 'queued' : 'running' }
}

/** The same in one exchange, for families whose callers wait: a task that is asked for again until it is done. */
export const polled: Exchange<VideoRequest, VideoTask> = {
  request: createTask,
  response({ body }, _, [created]) {
    const state = readTask(fields(created?.body ?? body)).state ?? {}
    const { status, video } = fields(body)
    if (isObject(video)) return { status: 'succeeded', video: { url: String(video['url']) } }
    if (status === 'COMPLETED') return next({ method: 'GET', url: String(state['result']) })
    return next({ method: 'GET', url: String(state['status']) }, PAUSE_MS)
  },
}

function fields(value: unknown): Json {
  return object(value) ?? {}
}
