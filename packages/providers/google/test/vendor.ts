import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'

/**
 * Videos of the Gemini API, written from https://ai.google.dev/gemini-api/docs/omni (18 September 2026),
 * https://ai.google.dev/gemini-api/docs/api-errors, https://ai.google.dev/api/files and the types of `@google/genai`
 * 3.1.0, which know `gemini-omni-1.2-flash`. No traffic was recorded.
 */
interface Content {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly uri?: string
  readonly mime_type?: string
}

interface Asked {
  readonly model: string
  readonly input: readonly Content[]
  readonly background?: boolean
  readonly store?: boolean
  readonly response_format: {
    readonly type: string
    readonly delivery?: string
    readonly aspect_ratio?: string
    readonly resolution?: string
    readonly duration?: string
  }
  readonly generation_config?: { readonly video_config?: { readonly task?: string }; readonly seed?: number }
}

const FIELDS = ['model', 'input', 'background', 'store', 'response_format', 'generation_config']

function read({ body }: Received): VideoMeaning {
  const { input, background, store, response_format: format, generation_config: config, ...rest } = body as Asked
  const unknown = Object.keys(rest).filter((key) => !FIELDS.includes(key))
  if (unknown.length > 0) throw new Error(`Unknown parameter: ${unknown.join(', ')}`)
  if (!background || !store) throw new Error('Only what is stored can be made in the background')
  if (format.type !== 'video') throw new Error('The model gives videos')
  const [, seconds] = /^(\d+)s$/.exec(format.duration ?? '') ?? []
  if (format.duration !== undefined && !(Number(seconds) >= 3 && Number(seconds) <= 15))
    throw new Error('The duration is 3s to 15s')
  if (format.aspect_ratio && !['16:9', '9:16'].includes(format.aspect_ratio))
    throw new Error('Supported values: 9:16, 16:9')
  if (format.resolution && !['360p', '720p', '1080p', '4k'].includes(format.resolution))
    throw new Error('Unsupported resolution')
  const images = input.flatMap(({ type, data, mime_type }) => (type === 'image' && mime_type && data ? [data] : []))
  const prompt = input.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n')
  const has = (tag: string): boolean => prompt.includes(`<${tag}>`)
  if (has('LAST_FRAME') && !has('FIRST_FRAME')) throw new Error('<LAST_FRAME> has to go with <FIRST_FRAME>')
  const frames = [has('FIRST_FRAME') ? images.shift() : undefined, has('LAST_FRAME') ? images.shift() : undefined]
  const isTold = images.every((_, at) => prompt.includes(`<IMAGE_REF_${at}>@Image${at + 1}`))
  if (!isTold) throw new Error('An image has no role')
  const task = frames[0] ? 'image_to_video' : images.length > 0 ? 'reference_to_video' : 'text_to_video'
  if (config?.video_config?.task !== task) throw new Error(`The task is ${task}`)
  return {
    text: prompt.replace(/^\[# References [^\]]*\]|<(?:FIRST|LAST)_FRAME>/g, '').trim(),
    firstFrame: frames[0],
    lastFrame: frames[1],
    images,
    duration: seconds === undefined ? undefined : Number(seconds),
    ratio: format.aspect_ratio,
    resolution: format.resolution,
    seed: config.seed,
  }
}

const MODEL = 'gemini-omni-1.2-flash'
const ID = 'v1_ChdhbHBoYS1icmF2by0wMDAwMDAwMDAw'
const FILE = '/v1beta/files/7n4q0z1x9k2m'
const interaction = (status: string, rest: object = {}) => ({
  id: ID,
  object: 'interaction',
  model: MODEL,
  status,
  ...rest,
})
const USAGE = { total_input_tokens: 21, total_output_tokens: 46_336, total_thought_tokens: 512, total_tokens: 46_869 }

export const vendor: RemoteVideoFacts = {
  model: MODEL,
  create: '/v1beta/interactions',
  read,
  id: ID,
  created: interaction('in_progress'),
  states: {
    queued: [interaction('queued')],
    running: [interaction('in_progress')],
    succeeded: [
      interaction('completed', {
        usage: USAGE,
        steps: [
          { type: 'user_input', content: [{ type: 'text', text: '…' }] },
          { type: 'thought', content: [{ type: 'thought', text: '…' }] },
          {
            type: 'model_output',
            content: [{ type: 'video', mime_type: 'video/mp4', uri: `{origin}${FILE}:download?alt=media` }],
          },
        ],
      }),
      { name: 'files/7n4q0z1x9k2m', mimeType: 'video/mp4', state: 'ACTIVE', expirationTime: '2030-01-03T00:00:00Z' },
    ],
    failed: [interaction('failed', { errors: [{ code: 'api_error', message: 'An unexpected error occurred.' }] })],
    refused: [
      interaction('failed', {
        errors: [{ code: 'invalid_request', message: 'The generated video was blocked by safety filters.' }],
      }),
    ],
    cancelled: [interaction('cancelled')],
  },
  get: ['GET /v1beta/interactions/{id}', `GET ${FILE}`],
  cancel: {
    path: 'POST /v1beta/interactions/{id}/cancel',
    done: interaction('cancelled'),
    late: [400, { error: { code: 'failed_precondition', message: 'The interaction is not in progress.' } }],
  },
  video: `${FILE}:download?alt=media`,
  usage: { input: 21, output: 46_848, reasoning: 512 },
  refusals: {
    moderation: [
      400,
      { error: { code: 'invalid_request', message: 'The input image was blocked: it violates our policies.' } },
    ],
    limit: [
      429,
      { error: { code: 'rate_limit_exceeded', message: 'You have exceeded the limit.' } },
      { 'retry-after': '30' },
    ],
  },
  error: (_: number, message: string) => ({ error: { code: 'invalid_request', message } }),
}
