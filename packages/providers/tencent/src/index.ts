import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * Tencent TokenHub: chat completions of Hunyuan and others, and the live model list.
 *
 * `source` of an error tells if the request, the gateway or the model failed. Rejected content has status 451, an
 * exhausted plan 402.
 *
 * @see https://www.tencentcloud.com/document/product/1300/78941
 * @see https://cloud.tencent.com/document/product/1823/131595
 */
export const tencent = openAICompatible({
  id: 'tencent',
  title: 'Tencent TokenHub',
  baseUrl: 'https://tokenhub-intl.tencentcloudmaas.com/v1',
  env: { apiKey: ['TENCENT_TOKENHUB_API_KEY'] },
  errors: { content_filter_error: 'content-policy' },
  known: models,
})
