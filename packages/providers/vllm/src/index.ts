import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * vLLM: chat completions, embeddings and reranking of a server of your own, and its list of models.
 *
 * Reasoning stands in `reasoning`, and is taken back there; servers before 0.12 say `reasoning_content`, which is
 * read as well.
 *
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server/
 * @see https://docs.vllm.ai/en/latest/features/reasoning_outputs/
 */
export const vllm = openAICompatible({
  id: 'vllm',
  title: 'vLLM',
  baseUrl: 'http://127.0.0.1:8000/v1',
  ownServer: true,
  embeddings: true,
  rerank: true,
  facts: { reasoning: 'reasoning' },
})
