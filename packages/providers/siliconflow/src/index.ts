import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * SiliconFlow: chat completions, embeddings and reranking, and the live model list.
 *
 * The output limit is `max_tokens`. Reasoning is in `reasoning_content`. Errors have a bare numeric code; an exhausted
 * quota has the status of a wrong key. Image, video and speech models of its list are ignored.
 *
 * @see https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions
 * @see https://docs.siliconflow.cn/en/faqs/error-code
 * @see https://docs.siliconflow.com/en/api-reference/rerank/create-rerank
 */
export const siliconflow = openAICompatible({
  id: 'siliconflow',
  title: 'SiliconFlow',
  baseUrl: 'https://api.siliconflow.com/v1',
  embeddings: true,
  rerank: true,
  rename: { max_completion_tokens: 'max_tokens' },
  errors: { 20012: 'unknown-model', 30001: 'our-quota' },
  ignoreModels: MEDIA_NAMES,
  known: models,
})
