import { endpoint, endpointEnv, openAICompatibleServer, readModel } from '@headgate/core/openai-compatible'
import { defineProvider, type HttpResponse, object, refusalIn, text, type UpstreamError } from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'
import { video } from './video.ts'
import { models as videos } from './video-models.ts'

/** What is no chat and no video. */
const ELSEWHERE = /imagine-image|-image|voice|transcri|tts|stt|embed/
const USED_UP = /used all available credits|spending limit|any credits/i

/**
 * xAI: chat completions, responses as they are, and videos of Grok Imagine.
 *
 * Documents go to responses: chat completions take none. It keeps answers for 30 days. What a model thinks comes sealed
 * where a request asks for it, and is taken back by responses alone. Refused content and a used-up account come with
 * the status of a wrong key, and are known by their words; what names the team behind them is left out.
 *
 * @see https://docs.x.ai/developers/rest-api-reference
 * @see https://docs.x.ai/developers/model-capabilities/text/comparison
 * @see https://docs.x.ai/docs/guides/files/chat-with-files
 */
export const xai = defineProvider(
  {
    id: 'xai',
    title: 'xAI',
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
      known: [...models, ...videos],
      readError,
      models: (entry) => readListed(readModel(entry)),
    }),
    video,
  }),
)

function readListed(model: ReturnType<typeof readModel>): ReturnType<typeof readModel> {
  if (!model || ELSEWHERE.test(model.id)) return undefined
  return { ...model, families: [model.id.includes('imagine-video') ? 'video' : 'chat'] }
}

/** `{ code, error }`, where the error is a text. */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const message = status < 400 ? undefined : text(object(body)?.['error'])
  if (message && USED_UP.test(message)) return { kind: 'our-quota', message }
  return message && refusalIn(message)
    ? { kind: 'content-policy', message: message.split(/\s*Team:/, 1)[0] ?? message }
    : undefined
}
