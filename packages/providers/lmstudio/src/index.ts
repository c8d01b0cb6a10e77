import { apiKey, endpoint, endpointEnv, openAICompatibleServer, probeModels } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { responses } from './responses.ts'

/**
 * LM Studio: chat completions, legacy completions, responses and embeddings of a self-hosted server, and its model
 * list.
 *
 * The output limit is `max_tokens`. Reasoning is in the text, `reasoning` or `reasoning_content`, according to its
 * settings. With `responses: true` in the config, requests of the responses format are forwarded unchanged, including
 * its MCP servers; this requires 0.3.29 or later. Requests with `store` are translated, because LM Studio can neither
 * return nor delete stored responses.
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
