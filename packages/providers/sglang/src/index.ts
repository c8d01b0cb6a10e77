import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * SGLang: chat completions, legacy completions and embeddings of a self-hosted server, and its model list.
 *
 * Reasoning is in `reasoning_content` if the server was started with `--reasoning-parser`, otherwise in the text; in
 * responses and in requests.
 *
 * @see https://docs.sglang.io/basic_usage/openai_api_completions.html
 * @see https://docs.sglang.io/advanced_features/separate_reasoning.html
 */
export const sglang = openAICompatible({
  id: 'sglang',
  title: 'SGLang',
  baseUrl: 'http://127.0.0.1:30000/v1',
  ownServer: true,
  completions: true,
  embeddings: true,
  facts: { reasoning: 'reasoning_content' },
})
