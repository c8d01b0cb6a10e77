import { apiKey, endpoint, endpointEnv, openAICompatibleServer, probeModels } from '@headgate/core/openai-compatible'
import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { responses } from './responses.ts'

/**
 * vLLM: chat completions, legacy completions, responses, embeddings and reranking of a server of your own, and its list
 * of models.
 *
 * Reasoning stands in `reasoning`, and is taken back there; servers before 0.12 say `reasoning_content`, which is
 * read as well.
 * Where the config says `responses: true`, callers of the responses format are given its responses as they are; servers
 * before 0.10 have none. It keeps no answers: those that are to be kept are translated. Encrypted reasoning is refused
 * there, and left out.
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
      facts: { reasoning: 'reasoning' },
      responses: served && responses,
    }),
)
