import {
  apiKey,
  baseUrl,
  chatCompletionsLimits,
  endpointEnv,
  openAICompatibleServer,
} from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'

const words = z.record(z.string(), z.string())

/** Overrides for the server: `ChatFacts` of the contract. */
const facts = z.strictObject({
  usageInStream: z.enum(['asked', 'always', 'never']).exactOptional(),
  imageUrls: z.boolean().exactOptional(),
  pdfUrls: z.boolean().exactOptional(),
  documents: z.enum(['data-url', 'raw']).exactOptional(),
  plainSystem: z.boolean().exactOptional(),
  webSearch: z.boolean().exactOptional(),
  maxTokens: z.enum(['max_tokens', 'max_completion_tokens']).exactOptional(),
})

/**
 * Any server with chat completions at the base URL of the config.
 *
 * The config declares differences from the standard format, with the fields of the preset. The provider is only enabled
 * if the config names it or the environment has its key, because it needs no key. Embeddings are enabled unless
 * `"embeddings": false`; responses need `"responses": true`, legacy completions `"completions": true`, and videos
 * `"videos": true`, or `"json"` if the server does not accept forms. `limitReset` is the notation of
 * `x-ratelimit-reset-*`; servers differ in the unit of a bare number, so that by default only values with units are
 * read.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export const openaiCompatible = defineProvider(
  {
    id: 'openai-compatible',
    title: 'OpenAI-compatible server',
    config: z.strictObject({
      baseUrl,
      apiKey: apiKey.optional(),
      headers: words.exactOptional(),
      drop: z.array(z.string()).exactOptional(),
      rename: words.exactOptional(),
      routingFields: z.array(z.string().min(1)).exactOptional(),
      facts: facts.exactOptional(),
      embeddings: z.boolean().default(true),
      responses: z.boolean().default(false),
      completions: z.boolean().default(false),
      videos: z.union([z.boolean(), z.enum(['form', 'json'])]).default(false),
      limitReset: z.enum(['duration', 'seconds', 'milliseconds', 'epoch', 'rfc3339']).default('duration'),
    }),
    env: endpointEnv('openai-compatible'),
    enable: 'asked',
  },
  ({ limitReset, ...server }) => openAICompatibleServer({ ...server, limitHeaders: chatCompletionsLimits(limitReset) }),
)
