import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * SGLang: chat completions, legacy completions and embeddings of a server of your own, and its list of models.
 *
 * Reasoning stands in `reasoning_content` where the server was started with `--reasoning-parser`, else in the text,
 * and is taken back there.
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
