import { openAICompatible } from '@headgate/core/openai-compatible'
import { type HttpResponse, object, text, type UpstreamError } from '@headgate/core/provider'
import { models } from './models.ts'

/** Signers of reasoning by vendor of the model. */
const SIGNERS = { anthropic: 'claude', google: 'gemini', openai: 'gpt', 'x-ai': 'grok' } as const

/**
 * OpenRouter: chat completions, responses, forwarded unchanged, embeddings and reranking by models of many vendors, and
 * the live model list.
 *
 * Responses are not stored: requests with `store` are translated. Reasoning is in `reasoning` and, with its signatures,
 * in `reasoning_details`, which requests must contain; the vendor of the model is its signer. A waiting stream contains
 * comments, and always reports usage. The resets of OpenRouter's limits are Unix times in milliseconds.
 *
 * @see https://openrouter.ai/docs/api/reference/errors-and-debugging
 * @see https://openrouter.ai/docs/guides/routing/provider-routing
 * @see https://openrouter.ai/docs/api/reference/overview
 * @see https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
 * @see https://openrouter.ai/docs/api/api-reference/responses/create-responses
 * @see https://openrouter.ai/docs/api/api-reference/rerank/create-rerank
 * @see https://openrouter.ai/docs/guides/best-practices/prompt-caching
 */
export const openrouter = openAICompatible({
  id: 'openrouter',
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  routes: true,
  responses: { storesResponses: false, routes: true },
  embeddings: true,
  rerank: true,
  guards: true,
  facts: { reasoning: 'reasoning_details', usageInStream: 'always' },
  signer: (model) => Object.entries(SIGNERS).find(([vendor]) => model.startsWith(`${vendor}/`))?.[1],
  promptCache: { longLifetimeMs: 3_600_000 },
  known: models,
  limitHeaders: [
    { unit: 'requests', remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', resetAs: 'epoch' },
  ],
  readError,
})

/** Reads a limit of OpenRouter itself, whose headers are in the body. */
function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const { message, metadata } = object(object(body)?.['error']) ?? {}
  const reset = text(object(object(metadata)?.['headers'])?.['X-RateLimit-Reset'])
  const wait = Number(reset || Number.NaN) - Date.now()
  return status === 429 && wait >= 0
    ? { kind: 'rate-limited', message: text(message) ?? '', retryAfterMs: wait }
    : undefined
}
