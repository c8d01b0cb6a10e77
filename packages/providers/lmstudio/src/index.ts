import { apiKey, endpoint, endpointEnv, openAICompatibleServer, probeModels } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { responses } from './responses.ts'

/**
 * LM Studio: chat completions, legacy completions, responses and embeddings of a server of your own, and its list of
 * models.
 *
 * Limits the output by `max_tokens`. Reasoning stands in the text, or in `reasoning` or `reasoning_content` by its
 * settings.
 * Where the config says `responses: true`, callers of the responses format are given its responses as they are, with
 * the MCP servers that it asks itself; before 0.3.29 it has none. Answers that are to be kept are translated, as it
 * neither shows nor deletes its own.
 *
 * @see https://lmstudio.ai/docs/developer/openai-compat/chat-completions
 * @see https://lmstudio.ai/docs/developer/openai-compat/completions
 * @see https://lmstudio.ai/docs/developer/openai-compat/responses
 */
export const lmstudio = defineProvider(
  {
    id: 'lmstudio',
    title: 'LM Studio',
    config: z.strictObject({
      ...endpoint('http://127.0.0.1:1234/v1'),
      apiKey: apiKey.optional(),
      responses: z.boolean().default(false),
    }),
    env: endpointEnv('lmstudio'),
    enable: 'asked',
    probe: probeModels,
  },
  ({ responses: served, ...server }) =>
    openAICompatibleServer({
      ...server,
      completions: true,
      embeddings: true,
      rename: { max_completion_tokens: 'max_tokens' },
      responses: served && responses,
    }),
)
