import {
  type Call,
  type HttpResponse,
  type Json,
  type ModelFacts,
  object,
  objects,
  taskId,
  text,
  type VideoCapabilities,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'

const MODEL = 'ray-3.2'

export const agentsKnown: readonly ModelFacts[] = [{ id: MODEL, families: ['video'] }]

const CAN: VideoCapabilities = {
  text: true,
  frames: 'first-or-last',
  images: 0,
  videos: 0,
  audios: 0,
  durations: [5, 10],
  ownDuration: false,
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', 'adaptive'],
  resolutions: ['480p', '720p', '1080p'],
  seed: false,
  audio: 'never',
  watermark: false,
  cameraFixed: false,
  user: true,
}

/** Lifetime of links in milliseconds. Each response has new links. */
const LINK_MS = 3_600_000

function refusals({ firstFrame, lastFrame, ratio, duration }: VideoRequest): readonly string[] {
  if (!firstFrame && !lastFrame) return []
  const reasons: string[] = []
  if (duration !== undefined && duration > 5) reasons.push('The duration with a frame is 5 seconds.')
  if (ratio !== undefined && ratio !== 'adaptive')
    reasons.push('The video has the ratio of the frame: omit `ratio`, or set it to `adaptive`.')
  return reasons
}

function frame(media: VideoMedia | undefined): Json | undefined {
  if (!media) return undefined
  return media.url === undefined ? { data: media.base64, media_type: media.type } : { url: media.url }
}

function body(
  { model, text: prompt, firstFrame, lastFrame, ratio, resolution, duration, user }: VideoRequest,
  call: Call,
): Json {
  if (resolution === '480p') call.lose('resolution', 'replaced by 540p', 'changed')
  if (ratio === 'adaptive' && !firstFrame && !lastFrame)
    call.lose('ratio', 'there is no input with a ratio to follow', 'changed')
  return {
    model,
    type: 'video',
    prompt,
    aspect_ratio: ratio === 'adaptive' ? undefined : ratio,
    user_id: user,
    video: {
      resolution: resolution === '480p' ? '540p' : resolution,
      duration: duration === undefined ? undefined : `${duration}s`,
      start_frame: frame(firstFrame),
      end_frame: frame(lastFrame),
    },
  }
}

const FAILURES: Readonly<Record<string, VideoFailure['kind']>> = {
  content_moderated: 'refused-text',
  budget_exhausted: 'over-quota',
  rate_limited: 'over-quota',
  image_too_large: 'invalid-request',
  unsupported_format: 'invalid-request',
  corrupt_input: 'invalid-request',
  invalid_request: 'invalid-request',
}

function taskOf({ body, headers }: HttpResponse): VideoTask {
  const task = object(body) ?? {}
  const url = text(objects(task['output'])[0]?.['url'])
  if (task['state'] === 'completed' && url) {
    const answered = Date.parse(headers['date'] ?? text(task['created_at']) ?? '')
    return { status: 'succeeded', video: { url, expiresAt: (answered || 0) + LINK_MS } }
  }
  if (task['state'] === 'failed') {
    const code = text(task['failure_code']) ?? ''
    const message = text(task['failure_reason']) ?? code
    return { status: 'failed', error: { kind: FAILURES[code] ?? 'failed', message } }
  }
  return { status: task['state'] === 'queued' ? 'queued' : 'running' }
}

/** Agents API: one endpoint for images and videos. It has neither a list nor cancellation. */
export const agents: VideoSupport = {
  capabilities: (model) => (model === MODEL ? CAN : {}),
  accepts: refusals,
  create: {
    request: (request, call) => ({ method: 'POST', url: '/generations', body: { json: body(request, call) } }),
    response: (answer) => ({ id: taskId(answer, 'id') }),
  },
  get: { request: ({ id }) => ({ method: 'GET', url: `/generations/${encodeURIComponent(id)}` }), response: taskOf },
}
