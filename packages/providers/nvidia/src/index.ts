import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * NVIDIA NIM: chat completions and embeddings, and the live model list.
 *
 * Retrieval models require the use of vectors: `input_type` is `query` or `passage`. The output limit is `max_tokens`.
 * The list does not contain the families of models.
 *
 * @see https://docs.api.nvidia.com/nim/reference/llm-apis
 * @see https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html
 */
export const nvidia = openAICompatible({
  id: 'nvidia',
  title: 'NVIDIA NIM',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  embeddings: { inputTypes: { query: 'query', document: 'passage' } },
  rename: { max_completion_tokens: 'max_tokens' },
  ignoreModels: MEDIA_NAMES,
  known: models,
})
