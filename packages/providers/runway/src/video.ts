import {
  type Call,
  type HttpResponse,
  isObject,
  type Json,
  mediaUrl,
  next,
  number,
  object,
  taskId,
  text,
  type VideoCapabilities,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { models, type RunwayModel } from './models.ts'
import { hasFrame, refusals, sizeFields, sizeOf } from './sizes.ts'

const headers = { 'x-runway-version': '2024-11-06' }

/** Unknown models are requested with the pixels that most models support. */
const UNKNOWN: RunwayModel = {}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)]
}

function abilities(model: string): VideoCapabilities {
  const { sizes, textSizes: _, needsSize: __, follows, ratios, resolutions, ...can } = models[model] ?? UNKNOWN
  const known = sizes?.map(sizeOf)
  const words = resolutions && Object.keys(resolutions)
  return {
    ...(models[model] && { ownDuration: false, seed: false }),
    ...can,
    ...(ratios && { ratios }),
    ...(words && { resolutions: words }),
    ...(known && {
      ratios: unique([...known.map(({ ratio }) => ratio), ...(follows ? ['adaptive'] : [])]),
      resolutions: unique(known.map(({ resolution }) => resolution)),
    }),
    watermark: false,
    cameraFixed: false,
    user: false,
  }
}

function references(type: string, media: readonly VideoMedia[], model: string): readonly Json[] | undefined {
  // Only Google's model has no `type` next to the URL.
  const typed = type === 'image' || model.startsWith('gemini_') ? {} : { type }
  return media.length === 0 ? undefined : media.map((one) => ({ ...typed, uri: mediaUrl(one) }))
}

/** Only some models have a field for sound. Core declares the loss for models with known abilities. */
function soundOf({ model, audio }: VideoRequest, call: Call): boolean | undefined {
  const facts = models[model]
  if (!facts || facts.audio === 'asked') return audio
  if (audio !== undefined && facts.audio === undefined) call.lose('audio', 'the model has no field for sound')
  return undefined
}

function body(request: VideoRequest, call: Call): Json {
  const { model, text: promptText, firstFrame, lastFrame, duration, seed } = request
  const facts = models[model] ?? UNKNOWN
  const frame = (position: string, media: VideoMedia | undefined) => (media ? [{ uri: mediaUrl(media), position }] : [])
  return {
    model,
    promptText: promptText === '' ? undefined : promptText,
    promptImage: hasFrame(request) ? [...frame('first', firstFrame), ...frame('last', lastFrame)] : undefined,
    references: references('image', request.images, model),
    referenceVideos: references('video', request.videos, model),
    referenceAudio: references('audio', request.audios, model),
    // `gen4.5` requires a duration.
    duration: duration === -1 ? 'auto' : (duration ?? (model === 'gen4.5' ? 5 : undefined)),
    seed,
    audio: soundOf(request, call),
    ...sizeFields(request, facts, call),
  }
}

const STATES: Readonly<Record<string, VideoTask['status']>> = {
  PENDING: 'queued',
  THROTTLED: 'queued',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
}

const UNFINISHED: ReadonlySet<string> = new Set(['PENDING', 'THROTTLED', 'RUNNING'])

function failure(task: Json): VideoFailure {
  const code = text(task['failureCode']) ?? ''
  const message = [text(task['failure']), code && `(${code})`].filter(Boolean).join(' ')
  if (/SAFETY\.(INPUT\.)?TEXT/.test(code)) return { kind: 'refused-text', message }
  if (code.startsWith('SAFETY.INPUT')) return { kind: 'refused-media', message }
  if (code.startsWith('SAFETY.')) return { kind: 'refused-output', message }
  return { kind: code.startsWith('ASSET.') ? 'invalid-request' : 'failed', message }
}

function taskOf({ body }: HttpResponse): VideoTask {
  const task = object(body) ?? {}
  const url = Array.isArray(task['output']) ? text(task['output'][0]) : undefined
  const credits = isObject(task['cost']) ? number(task['cost']['credits']) : undefined
  const progress = number(task['progress'])
  const status =
    task['status'] === 'SUCCEEDED' && url !== undefined ? 'succeeded' : (STATES[String(task['status'])] ?? 'running')
  return {
    status,
    ...(status === 'succeeded' && url !== undefined && { video: { url } }),
    ...(status === 'failed' && { error: failure(task) }),
    ...(credits !== undefined && { usage: { input: 0, output: 0, units: { credits } } }),
    ...(progress !== undefined && { progress }),
  }
}

export const video: VideoSupport = {
  capabilities: abilities,
  accepts: refusals,
  pollRate: { everyMs: 5_000 },
  create: {
    request: (request, call) => ({
      method: 'POST',
      url: `/v1/${hasFrame(request) ? 'image_to_video' : 'text_to_video'}`,
      headers,
      body: { json: body(request, call) },
    }),
    response: (answer) => ({ id: taskId(answer, 'id') }),
  },
  get: {
    request: ({ id }) => ({ method: 'GET', url: `/v1/tasks/${encodeURIComponent(id)}`, headers }),
    response: taskOf,
  },
  cancel: {
    // The same request would delete a finished task, so the task is read first.
    request: ({ id }) => ({ method: 'GET', url: `/v1/tasks/${encodeURIComponent(id)}`, headers }),
    // A deleted task is a 404.
    reads: ({ status }) => status === 404,
    response(answer, { id }, earlier) {
      if (answer.status === 404) return 'not-cancelable'
      if (earlier.length > 0) return 'canceled'
      return UNFINISHED.has(text(object(answer.body)?.['status']) ?? '')
        ? next({ method: 'DELETE', url: `/v1/tasks/${encodeURIComponent(id)}`, headers })
        : 'not-cancelable'
    },
  },
}
