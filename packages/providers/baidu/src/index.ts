import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'

const ERRORS = {
  tokens_too_long: 'context-too-long',
  characters_too_long: 'context-too-long',
  unsafe_request: 'content-policy',
  invalid_model: 'unknown-model',
} as const

/**
 * Baidu Qianfan: chat completions and embeddings, and the live model list.
 *
 * Separate codes and types identify a prompt that is too long, rejected content, and a model without access.
 *
 * @see https://cloud.baidu.com/doc/qianfan-api/s/3m9b5lqft
 * @see https://cloud.baidu.com/doc/qianfan-api/s/rmwbl43x7
 */
export const baidu = openAICompatible({
  id: 'baidu',
  title: 'Baidu Qianfan',
  baseUrl: 'https://qianfan.baidubce.com/v2',
  env: { apiKey: ['QIANFAN_API_KEY'] },
  claims: [/^ernie-/],
  embeddings: true,
  errors: ERRORS,
  ignoreModels: MEDIA_NAMES,
})
