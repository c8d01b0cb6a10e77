import { apiKey, endpoint, endpointEnv, openAICompatibleServer, probeModels } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { responses } from './responses.ts'

/**
 * vLLM: chat completions, legacy completions, responses, embeddings and reranking of a self-hosted server, and its
 * model list.
 *
 * Reasoning is in `reasoning`, in responses and in requests; servers before 0.12 use `reasoning_content`, which is read
 * as well. With `responses: true` in the config, requests of the responses format are forwarded unchanged; this
 * requires 0.10 or later. Responses are not stored: requests with `store` are translated. Encrypted reasoning is
 * rejected by the server and therefore dropped.
 *
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server/
 * @see https://docs.vllm.ai/en/latest/features/reasoning_outputs/
 */
export const vllm = defineProvider(
  {
    id: 'vllm',
    title: 'vLLM',
    config: z.strictObject({
      ...endpoint('http://127.0.0.1:8000/v1'),
      apiKey: apiKey.optional(),
      responses: z.boolean().default(false),
    }),
    env: endpointEnv('vllm'),
    enable: 'asked',
    probe: probeModels,
  },
  ({ responses: served, ...server }) =>
    openAICompatibleServer({
      ...server,
      completions: true,
      embeddings: true,
      rerank: true,
      guards: true,
      facts: { reasoning: 'reasoning' },
      responses: served && responses,
    }),
)
