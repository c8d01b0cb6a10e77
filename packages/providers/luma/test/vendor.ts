import type { RemoteVideoFacts } from '@headgate/conformance'

/**
 * Luma's two APIs. `agents`: written from the types of luma-agents for Python 0.3.0 and from
 * https://docs.agents.lumalabs.ai (guides/videos, guides/error-handling, guides/rate-limits). `dreamMachine`: from the
 * types of lumaai 1.19.1. No answer here was recorded.
 */

const id = '182bd5e5-6e1a-4fe4-a799-aa6d9a6ab26e'
const url = 'https://storage.lumalabs.example/182bd5e5.mp4?X-Amz-Expires=3600&X-Amz-Signature=made-up'

interface Image {
  readonly url?: string
  readonly data?: string
  readonly media_type?: string
}

interface AgentsBody {
  readonly type: string
  readonly prompt: string
  readonly aspect_ratio?: string
  readonly user_id?: string
  readonly video: {
    readonly resolution?: string
    readonly duration?: string
    readonly start_frame?: Image
    readonly end_frame?: Image
  }
}

function only(body: object, ...names: readonly string[]): void {
  const unknown = Object.keys(body).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
}

function imageOf(image: Image | undefined): string | undefined {
  if (image && (image.url === undefined) === (image.data === undefined)) throw new Error('exactly one of url and data')
  if (image?.data !== undefined && !image.media_type) throw new Error('media_type is required with data')
  return image?.url ?? image?.data
}

function secondsOf(duration: string | undefined, taken: readonly string[]): number | undefined {
  if (duration === undefined) return undefined
  if (!taken.includes(duration)) throw new Error(`duration is one of ${taken.join(', ')}`)
  return Number.parseInt(duration, 10)
}

function resolutionOf(resolution: string | undefined): string | undefined {
  return resolution === '540p' ? '480p' : resolution
}

function generation(state: string, more: object = {}) {
  return [{ id, type: 'video', model: 'ray-3.2', state, created_at: '2026-11-22T10:00:00Z', ...more }] as const
}

export const agents: RemoteVideoFacts = {
  model: 'ray-3.2',
  create: '/v1/generations',
  read({ body: source }) {
    const body = source as AgentsBody
    only(body, 'model', 'type', 'prompt', 'aspect_ratio', 'user_id', 'video')
    only(body.video, 'resolution', 'duration', 'start_frame', 'end_frame')
    if (body.type !== 'video' || !body.prompt) throw new Error('type and prompt are required')
    const firstFrame = imageOf(body.video.start_frame)
    const lastFrame = imageOf(body.video.end_frame)
    const duration = secondsOf(body.video.duration, ['5s', '10s'])
    if ((firstFrame ?? lastFrame) !== undefined && duration === 10) throw new Error('10s is for text alone')
    return {
      text: body.prompt,
      firstFrame,
      lastFrame,
      duration,
      ratio: (firstFrame ?? lastFrame) === undefined ? body.aspect_ratio : 'adaptive',
      resolution: resolutionOf(body.video.resolution),
      user: body.user_id,
    }
  },
  id,
  created: [201, generation('queued')[0]],
  states: {
    queued: generation('queued'),
    running: generation('processing'),
    succeeded: generation('completed', { output: [{ type: 'video', url }] }),
    failed: generation('failed', { failure_code: 'generation_failed', failure_reason: 'The model failed.' }),
    refused: generation('failed', {
      failure_code: 'content_moderated',
      failure_reason: 'The prompt violates the guidelines.',
    }),
  },
  get: ['GET /v1/generations/{id}'],
  video: url,
  refusals: {
    limit: [429, { detail: 'Too many concurrent jobs' }, { 'retry-after': '30' }],
    quota: [402, { detail: 'Insufficient balance' }],
  },
  error: (_status, detail) => ({ detail }),
}

interface DreamBody {
  readonly prompt?: string
  readonly aspect_ratio?: string
  readonly resolution?: string
  readonly duration?: string
  readonly keyframes?: { readonly frame0?: Keyframe; readonly frame1?: Keyframe }
}

interface Keyframe {
  readonly type: string
  readonly url: string
}

function dream(state: string, more: object = {}) {
  return [
    {
      id,
      generation_type: 'video',
      model: 'ray-2',
      state,
      failure_reason: null,
      created_at: '2026-11-22T10:00:00Z',
      assets: null,
      ...more,
    },
  ] as const
}

export const dreamMachine: RemoteVideoFacts = {
  model: 'ray-2',
  create: '/dream-machine/v1/generations/video',
  read({ body: source }) {
    const body = source as DreamBody
    only(body, 'model', 'prompt', 'aspect_ratio', 'resolution', 'duration', 'keyframes')
    const frame = (keyframe: Keyframe | undefined) => {
      if (keyframe && (keyframe.type !== 'image' || !/^https?:/.test(keyframe.url)))
        throw new Error('a keyframe is the URL of an image')
      return keyframe?.url
    }
    return {
      text: body.prompt,
      firstFrame: frame(body.keyframes?.frame0),
      lastFrame: frame(body.keyframes?.frame1),
      duration: secondsOf(body.duration, ['5s', '9s']),
      ratio: body.aspect_ratio,
      resolution: resolutionOf(body.resolution),
    }
  },
  id,
  created: [201, dream('queued')[0]],
  states: {
    queued: dream('queued'),
    running: dream('dreaming'),
    succeeded: dream('completed', { assets: { video: url, image: 'https://storage.lumalabs.example/182bd5e5.jpg' } }),
    failed: dream('failed', { failure_reason: 'The job failed.' }),
    refused: dream('failed', { failure_reason: 'Prompt not allowed because advanced moderation failed' }),
  },
  get: ['GET /dream-machine/v1/generations/{id}'],
  video: url,
  refusals: {
    limit: [429, { detail: 'Too many requests' }, { 'retry-after': '30' }],
    quota: [402, { detail: 'Insufficient credits' }],
  },
  error: (_status, detail) => ({ detail }),
}
