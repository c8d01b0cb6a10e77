import { apiKey, baseUrl, endpointEnv, openAICompatibleServer } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'

const words = z.record(z.string(), z.string())

/** How the server deviates: `ChatFacts` of the contract. */
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
 * Any server that speaks chat completions, under the base URL of the config.
 *
 * The server's own deviations are said in the config, in the words of the preset. It takes part only where the config
 * names it or the environment gives its key, since it needs none. Embeddings are offered unless the config says
 * `"embeddings": false`, the responses format where it says `"responses": true`, legacy completions where it says
 * `"completions": true`, and videos where it says `"videos": true`, or `"json"` where the server takes no forms.
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
    }),
    env: endpointEnv('openai-compatible'),
    enable: 'asked',
  },
  openAICompatibleServer,
)
