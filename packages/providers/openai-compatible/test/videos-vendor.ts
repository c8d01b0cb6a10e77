import type { Received, RemoteVideoFacts, VideoMeaning } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'

// Written from OpenAI's reference of videos (https://platform.openai.com/docs/api-reference/videos, by the types of
// openai-node 7.55.0), and from what servers that took it over document: LLM Gateway
// (https://docs.llmgateway.io/features/video-generation: JSON, `audio`, `canceled` and `expired`), vLLM-Omni
// (docs/serving/videos_api.md: `seed`, `user`) and LiteLLM (https://docs.litellm.ai/docs/videos). Not recorded.

const id = 'video_7c1d9a5236f44b8e'

const SIZES: Readonly<Record<string, readonly [resolution: string, ratio: string]>> = {
  '864x496': ['480p', '16:9'],
  '496x864': ['480p', '9:16'],
  '640x640': ['480p', '1:1'],
  '752x560': ['480p', '4:3'],
  '560x752': ['480p', '3:4'],
  '992x432': ['480p', '21:9'],
  '1280x720': ['720p', '16:9'],
  '720x1280': ['720p', '9:16'],
  '960x960': ['720p', '1:1'],
  '1112x834': ['720p', '4:3'],
  '834x1112': ['720p', '3:4'],
  '1470x630': ['720p', '21:9'],
  '1920x1080': ['1080p', '16:9'],
  '1080x1920': ['1080p', '9:16'],
  '3840x2160': ['4k', '16:9'],
  '2160x3840': ['4k', '9:16'],
}

function read({ body }: Received): VideoMeaning {
  const { model, prompt, input_reference, seconds, size, seed, audio, user, ...rest } = body as Json
  if (Object.keys(rest).length > 0) throw new Error(`unknown fields: ${Object.keys(rest).join(', ')}`)
  if (model !== 'film-1' || typeof prompt !== 'string') throw new Error('model and prompt are required')
  if (seconds !== undefined && !/^[1-9]\d*$/.test(String(seconds))) throw new Error('seconds is a number in a text')
  const known = size === undefined ? undefined : SIZES[String(size)]
  if (size !== undefined && !known) throw new Error(`no size ${String(size)}`)
  const [resolution, ratio] = known ?? []
  return {
    text: prompt,
    firstFrame: (input_reference as { image_url?: string } | undefined)?.image_url,
    duration: seconds === undefined ? undefined : Number(seconds),
    ratio,
    resolution,
    seed: seed as number | undefined,
    audio: audio as boolean | undefined,
    user: user as string | undefined,
  }
}

const job = {
  id,
  object: 'video',
  model: 'film-1',
  created_at: 1_790_000_000,
  completed_at: null,
  expires_at: null,
  error: null,
  prompt: null,
}
const asked = { progress: 0, seconds: '8', size: '1280x720', remixed_from_video_id: null }
const failure = (code: string, message: string) => ({ ...job, ...asked, status: 'failed', error: { code, message } })

/** What a server does that serves videos as OpenAI did. */
export const videos: RemoteVideoFacts = {
  model: 'film-1',
  create: '/v1/videos',
  read,
  id,
  created: { ...job, ...asked, status: 'queued' },
  get: ['GET /v1/videos/{id}'],
  states: {
    queued: [{ ...job, ...asked, status: 'queued' }],
    running: [{ ...job, ...asked, status: 'in_progress', progress: 40 }],
    succeeded: [
      { ...job, ...asked, status: 'completed', progress: 100, completed_at: 1_790_000_090, expires_at: 1_790_003_690 },
    ],
    failed: [failure('video_generation_failed', 'The video could not be made.')],
    refused: [failure('moderation_blocked', 'Your request was blocked by our moderation system.')],
    cancelled: [{ ...job, ...asked, status: 'canceled' }],
    expired: [{ ...job, ...asked, status: 'expired' }],
  },
  video: `/v1/videos/${id}/content`,
  usage: { input: 0, output: 0, units: { seconds: 8 } },
  refusals: {
    moderation: [
      400,
      {
        error: {
          message: 'Refused.',
          type: 'invalid_request_error',
          code: 'content_policy_violation',
          param: 'prompt',
        },
      },
    ],
    limit: [
      429,
      { error: { message: 'Slow down.', type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null } },
      { 'retry-after': '30' },
    ],
    quota: [
      429,
      { error: { message: 'Used up.', type: 'insufficient_quota', code: 'insufficient_quota', param: null } },
    ],
  },
  error: (_, message) => ({ error: { message, type: 'invalid_request_error', code: null, param: null } }),
}
