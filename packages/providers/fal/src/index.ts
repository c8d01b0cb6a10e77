import {
  defineProvider,
  endpoint,
  endpointEnv,
  type HttpResponse,
  isObject,
  objects,
  text,
  type UpstreamError,
  VIDEO_INPUTS,
} from '@headgate/core/provider'
import { z } from 'zod'
import { imageModels, images } from './images.ts'
import { SECONDS } from './inputs.ts'
import { models } from './models.ts'
import { videoSupport } from './video.ts'

const inputs = z.strictObject({
  names: z.partialRecord(z.enum(VIDEO_INPUTS), z.string().min(1).nullable()).exactOptional(),
  seconds: z.enum(SECONDS).exactOptional(),
})

/**
 * fal: videos and images through its queue.
 *
 * A model is an id, for example `fal-ai/veo3.1`, and the inputs of a request select the endpoint; or a model is the
 * full id of an endpoint. For unknown models, `inputs` in the config names inputs that differ from the usual ones.
 *
 * @see https://fal.ai/docs/api-reference/inference-api
 */
export const fal = defineProvider(
  {
    id: 'fal',
    title: 'fal',
    config: z.strictObject({ ...endpoint('https://queue.fal.run'), inputs: z.record(z.string(), inputs).default({}) }),
    env: { ...endpointEnv('fal'), apiKey: ['FAL_API_KEY', 'FAL_KEY'] },
    claims: [/^fal-ai\//],
  },
  ({ apiKey, baseUrl, inputs: own }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: `Key ${apiKey}` },
    video: videoSupport(own),
    images,
    known: [...models.map(({ id }) => ({ id, families: ['video'] })), ...imageModels],
    readError,
  }),
)

function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const detail = isObject(body) ? body['detail'] : undefined
  const errors = objects(detail)
  const message =
    errors.map(({ msg }) => text(msg) ?? '').join('; ') || text(detail) || `fal responded with status ${status}.`
  if (errors.some(({ type }) => type === 'content_policy_violation')) return { kind: 'content-policy', message }
  if (status === 403 && /locked|balance/i.test(message)) return { kind: 'our-quota', message }
  return undefined
}
