import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * llama.cpp: chat completions, legacy completions, embeddings and reranking of a server of your own, and its list of
 * models.
 *
 * Reasoning stands in `reasoning_content`, and is taken back there. The server lists what it has loaded; embeddings
 * need one that was started with `--embeddings`, and reranking one with `--rerank`.
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
