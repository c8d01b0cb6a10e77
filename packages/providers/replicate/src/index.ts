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
import { models } from './models.ts'
import { videoSupport } from './video.ts'

/** What a model calls its inputs; null = it has none. */
const names = z.partialRecord(z.enum(VIDEO_INPUTS), z.string().min(1).nullable())

/**
 * Replicate: videos by predictions.
 *
 * An official model is named `owner/name`, any other by its version as well, `owner/name:version`. Of those that are
 * not known here the config says in `inputs` what they call their inputs, where it is not what most call them.
 *
 * @see https://replicate.com/docs/reference/http
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
    known: models.map(({ id }) => ({ id, families: ['video'] })),
    readError,
  }),
)

/** Problems by https://www.rfc-editor.org/rfc/rfc7807: `title`, `detail`, `status`. */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  if (status < 400) return undefined
  const { detail, title } = object(body) ?? {}
  const message = text(detail) ?? text(title) ?? `Replicate answered with status ${status}.`
  if (status === 422 && /version|model/i.test(message) && /exist|permission/i.test(message))
    return { kind: 'unknown-model', message }
  return refusalIn(message) && { kind: 'content-policy', message }
}
