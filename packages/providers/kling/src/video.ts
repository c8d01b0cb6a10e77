import {
  type Call,
  type HttpResponse,
  type Json,
  next,
  object,
  objects,
  refusalIn,
  taskId,
  text,
  type VideoCapabilities,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { type KlingModel, models } from './models.ts'

const UNKNOWN: KlingModel = {}

function abilities(model: string): VideoCapabilities {
  const { isOmni: _, proOnly: __, hasNoMode: ___, ...can } = models[model] ?? UNKNOWN
  return can
}

function isOmni(model: string): boolean {
  return (models[model] ?? UNKNOWN).isOmni ?? /omni|-o\d/.test(model)
}

function hasFrame({ firstFrame, lastFrame }: VideoRequest): boolean {
  return firstFrame !== undefined || lastFrame !== undefined
}

/** Options of a request that need the professional mode. */
function proWishes({ model, lastFrame, audio }: VideoRequest): readonly string[] {
  const asked = { lastFrame: lastFrame !== undefined, audio: audio === true }
  return (models[model]?.proOnly ?? []).filter((wish) => asked[wish])
}

const WORDS: Readonly<Record<string, string>> = { lastFrame: 'last frame', audio: 'sound' }

function refusals(request: VideoRequest): readonly string[] {
  const { model, ratio, resolution, duration = 5, audio, images, videos } = request
  const reasons: string[] = []
  const wishes = proWishes(request).map((wish) => WORDS[wish])
  if (resolution === '720p' && wishes.length > 0) reasons.push(`It takes ${wishes.join(' and ')} at 1080p only.`)
  if (model === 'kling-v2-6' && wishes.length > 1) reasons.push('The model accepts either a last frame or sound.')
  if (hasFrame(request) && ratio !== undefined && ratio !== 'adaptive')
    reasons.push('The video has the ratio of the frame: omit `ratio`, or set it to `adaptive`.')
  if (videos.length > 0 && models[model]?.isOmni) {
    if (images.length > 4) reasons.push('The maximum is 4 images with a video.')
    if (duration > 10) reasons.push('The maximum duration with a reference video is 10 seconds.')
    if (resolution === '4k') reasons.push('The maximum resolution with a reference video is 1080p.')
    if (audio === true) reasons.push('Sound is not supported with a reference video.')
  }
  return reasons
}

function pathOf(request: VideoRequest): string {
  if (isOmni(request.model)) return '/v1/videos/omni-video'
  if (hasFrame(request)) return '/v1/videos/image2video'
  return request.images.length > 0 ? '/v1/videos/multi-image2video' : '/v1/videos/text2video'
}

/** URL, or base64 without the prefix of a data URL. */
function mediaOf(media: VideoMedia | undefined): string | undefined {
  return media?.url ?? media?.base64
}

const MODES: Readonly<Record<string, string>> = { '720p': 'std', '1080p': 'pro', '4k': '4k' }

function modeOf(request: VideoRequest): string | undefined {
  const { model, resolution } = request
  if (models[model]?.hasNoMode) return undefined
  if (resolution !== undefined) return MODES[resolution]
  return proWishes(request).length > 0 ? 'pro' : undefined
}

function inputs(request: VideoRequest): Json {
  const { firstFrame, lastFrame, images, videos } = request
  if (!isOmni(request.model)) {
    const list = images.length > 0 ? images.map((image) => ({ image: mediaOf(image) })) : undefined
    return { image: mediaOf(firstFrame), image_tail: mediaOf(lastFrame), image_list: list }
  }
  const frame = (type: string, media: VideoMedia | undefined) => (media ? [{ image_url: mediaOf(media), type }] : [])
  const list: Json[] = [
    ...frame('first_frame', firstFrame),
    ...frame('end_frame', lastFrame),
    ...images.map((image) => ({ image_url: mediaOf(image) })),
  ]
  return {
    image_list: list.length > 0 ? list : undefined,
    video_list:
      videos.length > 0
        ? videos.map(({ url }) => ({ video_url: url, refer_type: 'feature', keep_original_sound: 'no' }))
        : undefined,
  }
}

function body(request: VideoRequest, call: Call): Json {
  const { model, text: prompt, ratio, duration, audio, watermark, intent } = request
  const shape = ratio === 'adaptive' ? undefined : ratio
  if (ratio === 'adaptive' && !hasFrame(request))
    call.lose('ratio', 'there is no input with a ratio to follow', 'changed')
  return {
    model_name: model,
    prompt: prompt === '' ? undefined : prompt,
    ...inputs(request),
    mode: modeOf(request),
    // The newest endpoint has no default without a frame.
    aspect_ratio: shape ?? (isOmni(model) && !hasFrame(request) ? '16:9' : undefined),
    duration: duration === undefined ? undefined : String(duration),
    sound: models[model]?.audio === 'never' || audio === undefined ? undefined : audio ? 'on' : 'off',
    watermark_info: watermark === undefined ? undefined : { enabled: watermark },
    external_task_id: intent,
  }
}

const STATES: Readonly<Record<string, VideoTask['status']>> = { submitted: 'queued', failed: 'failed' }

function taskOf({ body }: HttpResponse, isMarked: boolean): VideoTask {
  const data = object(object(body)?.['data']) ?? {}
  const [made] = objects(object(data['task_result'])?.['videos'])
  const url = (isMarked && text(made?.['watermark_url'])) || text(made?.['url'])
  if (data['task_status'] === 'succeed' && url) {
    const seconds = Math.round(Number(made?.['duration']))
    const counted = Number.isFinite(seconds) && seconds > 0
    return {
      status: 'succeeded',
      video: { url },
      ...(counted && { usage: { input: 0, output: 0, units: { seconds } }, output: { duration: seconds } }),
    }
  }
  const status = STATES[String(data['task_status'])] ?? 'running'
  if (status !== 'failed') return { status }
  const message = text(data['task_status_msg']) ?? ''
  return { status, error: { kind: refusalIn(message) ?? 'failed', message } }
}

/** Tasks per page. The search also stops after this number of pages. */
const PAGE = 500
const PAGES = 10

function listed(path: string, page: number) {
  return { method: 'GET', url: `${path}?pageNum=${page}&pageSize=${PAGE}` } as const
}

function kept(value: Json | undefined): { path: string; marked: boolean } {
  return { path: text(value?.['path']) ?? '/v1/videos/text2video', marked: value?.['marked'] === true }
}

function trace(request: VideoRequest): Json {
  return { path: pathOf(request), ...(request.watermark === true && { marked: true }) }
}

export const video: VideoSupport = {
  capabilities: abilities,
  accepts: refusals,
  create: {
    request: (request, call) => ({ method: 'POST', url: pathOf(request), body: { json: body(request, call) } }),
    response: (answer, request) => ({ id: taskId(answer, 'data', 'task_id'), state: trace(request) }),
  },
  get: {
    request: ({ id, state }) => ({ method: 'GET', url: `${kept(state).path}/${encodeURIComponent(id)}` }),
    response: (answer, { state }) => taskOf(answer, kept(state).marked),
  },
  trace,
  find: {
    request: ({ trace }) => listed(kept(trace).path, 1),
    response({ body }, { intent, trace }, earlier) {
      const tasks = objects(object(body)?.['data'])
      const one = tasks.find((task) => object(task['task_info'])?.['external_task_id'] === intent)
      const id = text(one?.['task_id'])
      if (id) return { id, state: trace ?? {} }
      const isMore = tasks.length >= PAGE && earlier.length + 1 < PAGES
      return isMore ? next(listed(kept(trace).path, earlier.length + 2)) : undefined
    },
  },
}
