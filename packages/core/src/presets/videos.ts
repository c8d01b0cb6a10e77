import { compact, isObject, type Json, number, text } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'
import type { FormPart, HttpRequest, HttpResponse } from '../contract/http.ts'
import { pixelsOf } from '../contract/pixels.ts'
import type { TaskStatus } from '../contract/task.ts'
import type { VideoCapabilities, VideoFailure, VideoRequest, VideoSupport, VideoTask } from '../contract/video.ts'
import { mediaUrl, refusalIn, taskId } from '../contract/video-values.ts'
import { HeadgateError } from '../errors.ts'

/** Body of a request for a video: a form, as OpenAI's SDKs send it, or JSON. */
export type VideosBody = 'form' | 'json'

/** Default part of a size if only the resolution or only the ratio is requested. */
const RESOLUTION = '720p'
const RATIO = '16:9'

const STATES: Readonly<Record<string, TaskStatus>> = {
  queued: 'queued',
  in_progress: 'running',
  completed: 'succeeded',
  failed: 'failed',
  canceled: 'cancelled',
  cancelled: 'cancelled',
  expired: 'expired',
}

/** Kinds by words in an error's code. The first match is used. */
const KINDS: readonly (readonly [RegExp, VideoFailure['kind']])[] = [
  [/quota|billing|rate_?limit/, 'over-quota'],
  [/invalid|bad_request|unsupported/, 'invalid-request'],
]

/**
 * Videos with `POST /videos`, as gateways and servers of open models offer them, based on OpenAI's API. Fields outside
 * of OpenAI's API have the names that servers use: `seed`, `audio`, `user`. Tasks cannot be canceled: DELETE removes
 * finished videos.
 * @see https://platform.openai.com/docs/api-reference/videos
 */
export function videosSupport(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  body: VideosBody,
): VideoSupport {
  const capabilities: VideoCapabilities = {
    frames: 'first',
    images: 0,
    videos: 0,
    audios: 0,
    ownDuration: false,
    watermark: false,
    cameraFixed: false,
    ratios: ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'],
    resolutions: ['480p', '720p', '1080p', '4k'],
    // A file is the only encoding that all servers with forms support.
    ...(body === 'form' && { takes: 'base64' }),
  }
  return {
    capabilities,
    create: {
      request: (request) => ({
        method: 'POST',
        url: '/videos',
        headers,
        body: body === 'form' ? formOf(request) : { json: jsonOf(request) },
      }),
      response: (answer) => ({ id: taskId(answer, 'id') }),
    },
    get: {
      request: ({ id }) => ({ method: 'GET', url: `/videos/${encodeURIComponent(id)}`, headers }),
      response: (answer, { id }) => readVideo(answer, `${baseUrl}/videos/${encodeURIComponent(id)}/content`),
      reads: ({ status }) => status === 404,
    },
  }
}

function fieldsOf({ model, text: prompt, duration, resolution, ratio, seed, audio, user }: VideoRequest): Json {
  const isSized = resolution !== undefined || ratio !== undefined
  const pixels = isSized ? pixelsOf(resolution ?? RESOLUTION, ratio ?? RATIO) : undefined
  return compact({
    model,
    prompt,
    seconds: duration === undefined ? undefined : String(duration),
    size: pixels?.join('x'),
    seed,
    audio,
    user,
  })
}

function jsonOf(request: VideoRequest): Json {
  const { firstFrame } = request
  return { ...fieldsOf(request), ...(firstFrame && { input_reference: { image_url: mediaUrl(firstFrame) } }) }
}

function formOf(request: VideoRequest): NonNullable<HttpRequest['body']> {
  const fields = Object.entries(fieldsOf(request)).map(([name, value]): FormPart => ({ name, value: String(value) }))
  const { base64, type = 'image/png' } = request.firstFrame ?? {}
  if (base64 === undefined) return { form: fields }
  const filename = `input.${type.slice(type.indexOf('/') + 1)}`
  return { form: [...fields, { name: 'input_reference', value: Buffer.from(base64, 'base64'), filename, type }] }
}

function readVideo({ status: code, body }: HttpResponse, url: string): VideoTask {
  if (code === 404) throw new HeadgateError('not-found', 'The server does not have this video.')
  const { status, error, expires_at, progress, seconds } = isObject(body) ? body : {}
  const state = STATES[String(status)] ?? 'running'
  const percent = number(progress)
  const duration = Number(seconds ?? Number.NaN)
  const isTimed = Number.isInteger(duration) && duration > 0
  if (state === 'failed') return { status: state, error: failureOf(error) }
  if (state !== 'succeeded')
    return compact<VideoTask>({ status: state, progress: percent === undefined ? undefined : percent / 100 })
  const until = number(expires_at)
  const usage: Usage | undefined = isTimed ? { input: 0, output: 0, units: { seconds: duration } } : undefined
  return compact<VideoTask>({
    status: state,
    video: { url, needsCredential: true, ...(until !== undefined && { expiresAt: until * 1000 }) },
    usage,
    output: isTimed ? { duration } : undefined,
  })
}

function failureOf(error: unknown): VideoFailure {
  const { code, message } = isObject(error) ? error : {}
  const words = String(code ?? '').toLowerCase()
  const kind = refusalIn(words) ?? KINDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'failed'
  return { kind, message: text(message) ?? text(error) ?? (words || 'The provider gave no reason.') }
}
