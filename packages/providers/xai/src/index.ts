import {
  chatCompletionsLimits,
  endpoint,
  endpointEnv,
  openAICompatibleServer,
  readModel,
} from '@headgate/core/openai-compatible'
import { defineProvider, type HttpResponse, object, refusalIn, text, type UpstreamError } from '@headgate/core/provider'
import { z } from 'zod'
import { imageModels, images } from './images.ts'
import { models } from './models.ts'
import { speakers, speech } from './speech.ts'
import { transcribers, transcription } from './transcription.ts'
import { video } from './video.ts'
import { models as videos } from './video-models.ts'

/** Models other than chat and video. */
const ELSEWHERE = /(?<!imagine)-image|voice|transcri|tts|stt|embed/
const USED_UP = /used all available credits|spending limit|any credits/i

/**
 * xAI: chat completions, responses, forwarded unchanged, and videos of Grok Imagine.
 *
 * Requests with documents use responses, because chat completions does not accept them. Responses are stored for 30
 * days. Reasoning is encrypted, returned on request, and accepted by responses only. Rejected content and an exhausted
 * quota have the status of a wrong key and are identified by their messages; the team in these messages is removed.
 *
 * @see https://docs.x.ai/developers/rest-api-reference
 * @see https://docs.x.ai/developers/model-capabilities/text/comparison
 * @see https://docs.x.ai/docs/guides/files/chat-with-files
 * @see https://docs.x.ai/developers/rate-limits
 */
export const xai = defineProvider(
  {
    id: 'xai',
    title: 'xAI',
    genAiName: 'x_ai',
    config: z.strictObject(endpoint('https://api.x.ai/v1')),
    env: endpointEnv('xai'),
    claims: [/^grok-/],
  },
  (server) => ({
    ...openAICompatibleServer({
      ...server,
      facts: { documents: 'none' },
      responses: { signer: 'grok' },
      systemOnly: true,
      replace: { reasoning_effort: { minimal: 'low', xhigh: 'high', max: 'high' } },
      known: [...models, ...videos, ...imageModels, ...transcribers, ...speakers],
      limitHeaders: chatCompletionsLimits(),
      readError,
      speech,
      unlisted: [...transcribers, ...speakers],
      models: (entry) => readListed(readModel(entry)),
    }),
    images,
    video,
    transcription,
  }),
)

function readListed(model: ReturnType<typeof readModel>): ReturnType<typeof readModel> {
  if (!model || ELSEWHERE.test(model.id)) return undefined
  return { ...model, families: [familyOf(model.id)] }
}

function familyOf(model: string): string {
  if (model.includes('imagine-image')) return 'images'
  return model.includes('imagine-video') ? 'video' : 'chat'
}

/** Reads `{ code, error }`, with `error` as a string. */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const message = status < 400 ? undefined : text(object(body)?.['error'])
  if (message && USED_UP.test(message)) return { kind: 'our-quota', message }
  return message && refusalIn(message)
    ? { kind: 'content-policy', message: message.split(/\s*Team:/, 1)[0] ?? message }
    : undefined
}
