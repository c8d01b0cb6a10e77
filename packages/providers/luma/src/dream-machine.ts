import {
  type Call,
  type HttpResponse,
  type Json,
  type ModelFacts,
  object,
  refusalIn,
  taskId,
  text,
  type VideoCapabilities,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'

const MODELS: readonly string[] = ['ray-2', 'ray-flash-2']

export const dreamMachineKnown: readonly ModelFacts[] = MODELS.map((id) => ({ id, families: ['video'] }))

const CAN: VideoCapabilities = {
  text: true,
  frames: 'first-or-last',
  images: 0,
  videos: 0,
  audios: 0,
  takes: 'url',
  durations: [5, 9],
  ownDuration: false,
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '9:21'],
  resolutions: ['480p', '720p', '1080p', '4k'],
  seed: false,
  audio: 'never',
  watermark: false,
  cameraFixed: false,
  user: false,
}

function frame(media: VideoMedia | undefined): Json | undefined {
  return media && { type: 'image', url: media.url }
}

function body(
  { model, text: prompt, firstFrame, lastFrame, ratio, resolution, duration }: VideoRequest,
  call: Call,
): Json {
  if (resolution === '480p') call.lose('resolution', 'replaced by 540p', 'changed')
  return {
    model,
    prompt: prompt === '' ? undefined : prompt,
    aspect_ratio: ratio,
    resolution: resolution === '480p' ? '540p' : resolution,
    duration: duration === undefined ? undefined : `${duration}s`,
    keyframes: firstFrame || lastFrame ? { frame0: frame(firstFrame), frame1: frame(lastFrame) } : undefined,
  }
}

function taskOf({ body }: HttpResponse): VideoTask {
  const task = object(body) ?? {}
  const assets = object(task['assets'])
  const url = text(assets?.['video'])
  const cover = text(assets?.['image'])
  if (task['state'] === 'completed' && url)
    return { status: 'succeeded', video: { url }, ...(cover && { cover: { url: cover, type: 'image/jpeg' } }) }
  if (task['state'] === 'failed') {
    const message = text(task['failure_reason']) ?? ''
    return { status: 'failed', error: { kind: refusalIn(message, 'refused-text') ?? 'failed', message } }
  }
  return { status: task['state'] === 'queued' ? 'queued' : 'running' }
}

/** Older API. Its list does not identify tasks, and deleting a task is not documented to cancel it. */
export const dreamMachine: VideoSupport = {
  capabilities: (model) => (MODELS.includes(model) ? CAN : { takes: 'url' }),
  create: {
    request: (request, call) => ({ method: 'POST', url: '/generations/video', body: { json: body(request, call) } }),
    response: (answer) => ({ id: taskId(answer, 'id') }),
  },
  get: { request: ({ id }) => ({ method: 'GET', url: `/generations/${encodeURIComponent(id)}` }), response: taskOf },
}
