import {
  type Call,
  type HttpResponse,
  type Json,
  mediaUrl,
  number,
  object,
  objects,
  taskId,
  text,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { failure, isLate } from './error.ts'
import { models } from './models.ts'

/** 0 means a random seed. */
const MOST_SEED = 2_147_483_647

function hasFrame({ firstFrame }: VideoRequest): boolean {
  return firstFrame !== undefined
}

function refusals(request: VideoRequest): readonly string[] {
  const { ratio, images, videos, duration } = request
  const reasons: string[] = []
  if (hasFrame(request) && ratio !== undefined && ratio !== 'adaptive')
    reasons.push('The video has the ratio of the frame: omit `ratio`, or set it to `adaptive`.')
  if (videos.length > 0 && images.length > 4) reasons.push('The maximum is 4 images with a video.')
  if (request.model === 'vidu2.0' && images.length > 0 && duration === 8)
    reasons.push('The duration with references is 4 seconds.')
  return reasons
}

function pathOf({ firstFrame, lastFrame, images, videos }: VideoRequest): string {
  if (images.length + videos.length > 0) return '/ent/v2/reference2video'
  if (lastFrame) return '/ent/v2/start-end2video'
  return firstFrame ? '/ent/v2/img2video' : '/ent/v2/text2video'
}

function seedOf({ seed }: VideoRequest, call: Call): number | undefined {
  if (seed === undefined || (seed > 0 && seed <= MOST_SEED)) return seed
  call.lose('seed', `the provider accepts 1 to ${MOST_SEED}`)
  return undefined
}

function body(request: VideoRequest, call: Call): Json {
  const {
    model,
    text: prompt,
    firstFrame,
    lastFrame,
    images,
    videos,
    duration,
    ratio,
    resolution,
    audio,
    watermark,
    intent,
  } = request
  if (resolution === '480p') call.lose('resolution', 'replaced by 540p', 'changed')
  if (ratio === 'adaptive' && !firstFrame) call.lose('ratio', 'there is no input with a ratio to follow', 'changed')
  const pictures = [...(firstFrame ? [firstFrame] : []), ...(lastFrame ? [lastFrame] : []), ...images].map(mediaUrl)
  return {
    model,
    prompt: prompt === '' ? undefined : prompt,
    images: pictures.length > 0 ? pictures : undefined,
    videos: videos.length > 0 ? videos.map(mediaUrl) : undefined,
    duration,
    seed: seedOf(request, call),
    aspect_ratio: ratio === 'adaptive' ? undefined : ratio,
    resolution: resolution === '480p' ? '540p' : resolution,
    audio: models[model]?.audio === 'never' ? undefined : audio,
    watermark,
    payload: intent,
  }
}

const STATES: Readonly<Record<string, VideoTask['status']>> = {
  created: 'queued',
  queueing: 'queued',
  failed: 'failed',
}

function taskOf({ body }: HttpResponse, isMarked: boolean): VideoTask {
  const task = object(body) ?? {}
  const [made] = objects(task['creations'])
  const url = (isMarked && text(made?.['watermarked_url'])) || text(made?.['url'])
  const cover = text(made?.['cover_url'])
  const credits = number(task['credits'])
  const usage = credits === undefined ? {} : { usage: { input: 0, output: 0, units: { credits } } }
  if (task['state'] === 'success' && url)
    return {
      status: 'succeeded',
      video: { url },
      ...(cover && { cover: { url: cover, type: 'image/jpeg' } }),
      ...usage,
    }
  const status = STATES[String(task['state'])] ?? 'running'
  if (status !== 'failed') return { status }
  const reason = text(task['err_code']) ?? ''
  return reason === 'UserCancelled' ? { status: 'cancelled' } : { status, error: failure(reason) }
}

export const video: VideoSupport = {
  capabilities: (model) => models[model] ?? {},
  accepts: refusals,
  create: {
    request: (request, call) => ({ method: 'POST', url: pathOf(request), body: { json: body(request, call) } }),
    response: (answer, { watermark }) => ({
      id: taskId(answer, 'task_id'),
      ...(watermark === true && { state: { marked: true } }),
    }),
  },
  get: {
    request: ({ id }) => ({ method: 'GET', url: `/ent/v2/tasks/${encodeURIComponent(id)}/creations` }),
    response: (answer, { state }) => taskOf(answer, state?.['marked'] === true),
  },
  cancel: {
    request: ({ id }) => ({
      method: 'POST',
      url: `/ent/v2/tasks/${encodeURIComponent(id)}/cancel`,
      body: { json: { id } },
    }),
    reads: isLate,
    response: (answer) => (isLate(answer) ? 'not-cancelable' : 'canceled'),
  },
}
