import {
  type Call,
  type HttpRequest,
  type HttpResponse,
  type Json,
  mediaUrl,
  number,
  object,
  refusalIn,
  taskId,
  text,
  type VideoFailure,
  type VideoMedia,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { abilitiesOf } from './video-models.ts'

/** Maximum seconds of the first model with references. */
const LONGEST_OF_REFERENCES = 10

/**
 * Videos of Grok Imagine: a request, polled until it is done.
 *
 * With a pinned last frame or references, the maximum resolution is 720p. A video with a first frame has the ratio of
 * the frame.
 *
 * @see https://docs.x.ai/developers/model-capabilities/video/generation
 * @see https://docs.x.ai/developers/model-capabilities/video/reference-to-video
 */
export const video: VideoSupport = {
  capabilities: abilitiesOf,
  accepts({ model, images, lastFrame, duration, resolution }) {
    const isLong = model === 'grok-imagine-video' && images.length > 0 && (duration ?? 0) > LONGEST_OF_REFERENCES
    const isLarge = resolution === '1080p' && (images.length > 0 || lastFrame !== undefined)
    return [
      ...(isLong ? [`the duration is limited to ${LONGEST_OF_REFERENCES} seconds with references`] : []),
      ...(isLarge ? ['the maximum resolution with a last frame or references is 720p'] : []),
    ]
  },
  create: { request: createVideo, response: (answer) => ({ id: taskId(answer, 'request_id') }) },
  get: { request: ({ id }) => ({ method: 'GET', url: `/videos/${encodeURIComponent(id)}` }), response: readTask },
}

function createVideo(request: VideoRequest, call: Call): HttpRequest {
  const { model, text: prompt, firstFrame, lastFrame, images, duration, ratio, resolution, audio, user } = request
  const isFramed = firstFrame !== undefined && lastFrame === undefined
  if (isFramed && ratio !== undefined && ratio !== 'adaptive')
    call.lose('ratio', 'the video has the ratio of its first frame')
  const json = {
    model,
    ...(prompt && { prompt }),
    ...(firstFrame && { image: imageOf(firstFrame) }),
    ...(lastFrame && { last_frame: imageOf(lastFrame) }),
    ...(images.length > 0 && { reference_images: images.map(imageOf) }),
    ...(duration !== undefined && duration > 0 && { duration }),
    ...(ratio !== undefined && ratio !== 'adaptive' && !isFramed && { aspect_ratio: ratio }),
    ...(resolution !== undefined && { resolution }),
    ...(audio !== undefined && { generate_audio: audio }),
    ...(user !== undefined && { user }),
  }
  return { method: 'POST', url: '/videos/generations', body: { json } }
}

function imageOf(media: VideoMedia): Json {
  return { url: mediaUrl(media) }
}

/** A running request sometimes has no body. */
function readTask({ body }: HttpResponse): VideoTask {
  const { status, video, progress, error } = object(body) ?? {}
  if (status === 'failed') return { status: 'failed', error: readFailure(object(error) ?? { message: error }) }
  if (status === 'expired') return { status: 'expired' }
  if (status === 'done' || (status === undefined && object(video)?.['url'])) return readMade(object(video) ?? {})
  const percent = number(progress)
  return { status: 'running', ...(percent !== undefined && { progress: Math.min(Math.max(percent / 100, 0), 1) }) }
}

function readMade({ url, duration, respect_moderation }: Json): VideoTask {
  const seconds = number(duration)
  const usage = seconds === undefined ? {} : { usage: { input: 0, output: 0, units: { seconds } } }
  if (respect_moderation === false) return failed('refused-output', 'The video did not pass moderation.')
  if (typeof url !== 'string' || !url) return failed('failed', 'The request ended without a video.')
  return {
    status: 'succeeded',
    video: { url },
    ...usage,
    ...(seconds !== undefined && { output: { duration: seconds } }),
  }
}

function failed(kind: VideoFailure['kind'], message: string): VideoTask {
  return { status: 'failed', error: { kind, message } }
}

/** Rejected content is an invalid argument: only the message identifies it. */
function readFailure({ code, message }: Json): VideoFailure {
  const words = text(message) ?? 'The provider returned no reason.'
  return { kind: refusalIn(words, 'refused-text') ?? KINDS.get(code) ?? 'failed', message: words }
}

const KINDS = new Map<unknown, VideoFailure['kind']>([
  ['invalid_argument', 'invalid-request'],
  ['failed_precondition', 'invalid-request'],
  ['permission_denied', 'forbidden'],
])
