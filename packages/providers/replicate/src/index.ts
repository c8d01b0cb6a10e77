import { bearer } from '@headgate/core/credentials'
import {
  apiKey,
  baseUrl,
  defineProvider,
  type HttpResponse,
  object,
  refusalIn,
  text,
  type UpstreamError,
  VIDEO_INPUTS,
} from '@headgate/core/provider'
import { z } from 'zod'
import { imageModels, images } from './images.ts'
import { models } from './models.ts'
import { videoSupport } from './video.ts'

/** Names of a model's inputs; null if the model lacks the input. */
const names = z.partialRecord(z.enum(VIDEO_INPUTS), z.string().min(1).nullable())

/**
 * Replicate: videos and images as predictions.
 *
 * An official model is `owner/name`; any other model includes a version, `owner/name:version`. For unknown models,
 * `inputs` in the config names inputs that differ from the usual ones.
 *
 * @see https://replicate.com/docs/reference/http
 * @see https://replicate.com/docs/topics/predictions/rate-limits
 */
export const replicate = defineProvider(
  {
    id: 'replicate',
    title: 'Replicate',
    config: z.strictObject({
      apiKey,
      baseUrl: baseUrl.default('https://api.replicate.com/v1'),
      inputs: z.record(z.string(), names).default({}),
    }),
    env: { apiKey: ['REPLICATE_API_TOKEN', 'REPLICATE_API_KEY'], baseUrl: ['REPLICATE_BASE_URL'] },
  },
  ({ apiKey: token, baseUrl: url, inputs }) => ({
    baseUrl: url,
    credential: bearer(token),
    video: videoSupport(inputs),
    images,
    known: [...models.map(({ id }) => ({ id, families: ['video'] })), ...imageModels],
    limitHeaders: [
      { unit: 'requests', remaining: 'ratelimit-remaining', reset: 'ratelimit-reset', resetAs: 'seconds' },
    ],
    readError,
  }),
)

/** Reads problem details (https://www.rfc-editor.org/rfc/rfc7807): `title`, `detail`, `status`. */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  if (status < 400) return undefined
  const { detail, title } = object(body) ?? {}
  const message = text(detail) ?? text(title) ?? `Replicate responded with status ${status}.`
  if (status === 422 && /version|model/i.test(message) && /exist|permission/i.test(message))
    return { kind: 'unknown-model', message }
  return refusalIn(message) && { kind: 'content-policy', message }
}
