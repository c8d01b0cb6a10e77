import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * llama.cpp: chat completions, legacy completions, embeddings and reranking of a self-hosted server, and its model
 * list.
 *
 * Reasoning is in `reasoning_content`, in responses and in requests. The server lists its loaded model. Embeddings
 * require a server with `--embeddings`, reranking a server with `--rerank`.
 *
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
export const llamacpp = openAICompatible({
  id: 'llamacpp',
  title: 'llama.cpp',
  baseUrl: 'http://127.0.0.1:8080/v1',
  ownServer: true,
  completions: true,
  embeddings: true,
  rerank: true,
  facts: { reasoning: 'reasoning_content' },
})
