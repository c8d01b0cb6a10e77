import {
  defineProvider,
  endpoint,
  endpointEnv,
  type HttpResponse,
  MESSAGES_LIMITS,
  type ModelFacts,
  next,
} from '@headgate/core/provider'
import { z } from 'zod'
import { models } from './models.ts'

const VERSION = { 'anthropic-version': '2023-06-01' }

/** Fields of a messages request that token counting rejects. */
const UNCOUNTED = [
  'max_tokens',
  'stream',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'metadata',
  'service_tier',
  'container',
  'inference_geo',
  'user_profile_id',
]

const Supported = z.object({ supported: z.boolean() }).optional()

/** @see https://platform.claude.com/docs/en/api/models/list */
const ModelPage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      created_at: z.string().nullish(),
      max_input_tokens: z.number().nullish(),
      max_tokens: z.number().nullish(),
      capabilities: z.object({ image_input: Supported, pdf_input: Supported, thinking: Supported }).nullish(),
    }),
  ),
  has_more: z.boolean().nullish(),
  last_id: z.string().nullish(),
})

const Count = z.object({ input_tokens: z.number() })

/**
 * Anthropic: messages, in the native format.
 *
 * Every request has a version: the caller's `anthropic-version`, by default 2023-06-01. `anthropic-beta` is forwarded.
 * The base URL is a host. Token counting takes a messages request without the sampling fields. There are no embeddings.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 * @see https://platform.claude.com/docs/en/api/rate-limits#response-headers
 */
export const anthropic = defineProvider(
  {
    id: 'anthropic',
    title: 'Anthropic',
    config: z.strictObject(endpoint('https://api.anthropic.com')),
    env: endpointEnv('anthropic'),
    claims: [/^claude-/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'x-api-key', value: apiKey },
    chat: [
      {
        format: 'messages',
        path: () => '/v1/messages',
        headers: VERSION,
        forward: ['anthropic-version', 'anthropic-beta'],
        responseHeaders: ['request-id'],
        signer: 'claude',
        facts: { pdfUrls: true },
      },
    ],
    models: {
      request: () => modelPage(),
      response(answer, _, earlier) {
        const { has_more, last_id } = ModelPage.parse(answer.body)
        return has_more && last_id ? next(modelPage(last_id)) : [...earlier, answer].flatMap(readModels)
      },
    },
    known: models,
    limitHeaders: MESSAGES_LIMITS,
    promptCache: { longLifetimeMs: 3_600_000, onRequest: true },
    countTokens: {
      request: ({ model, body }, { headers }) => ({
        method: 'POST',
        url: '/v1/messages/count_tokens',
        headers: { ...VERSION, ...headers },
        body: {
          json: { ...Object.fromEntries(Object.entries(body).filter(([field]) => !UNCOUNTED.includes(field))), model },
        },
      }),
      response: ({ body }) => Count.parse(body).input_tokens,
    },
  }),
)

function modelPage(after?: string) {
  const query = new URLSearchParams({ limit: '1000', ...(after !== undefined && { after_id: after }) })
  return { method: 'GET', url: `/v1/models?${query}`, headers: VERSION } as const
}

function readModels({ body }: HttpResponse): ModelFacts[] {
  return ModelPage.parse(body).data.map(({ id, created_at, max_input_tokens, max_tokens, capabilities }) => ({
    id,
    ...createdAt(created_at),
    ...(max_input_tokens && { context: max_input_tokens }),
    ...(max_tokens && { output: max_tokens }),
    ...(capabilities?.thinking && { reasoning: capabilities.thinking.supported }),
    ...(capabilities?.image_input &&
      capabilities.pdf_input && { inputs: inputsOf(capabilities.image_input, capabilities.pdf_input) }),
  }))
}

/** An unknown date is the beginning of 1970. */
function createdAt(date: string | null | undefined): Pick<ModelFacts, 'created'> {
  const created = Math.floor(Date.parse(date ?? '') / 1000)
  return created > 0 ? { created } : {}
}

function inputsOf(image: { supported: boolean }, pdf: { supported: boolean }): ('text' | 'image' | 'pdf')[] {
  return ['text', ...(image.supported ? (['image'] as const) : []), ...(pdf.supported ? (['pdf'] as const) : [])]
}
