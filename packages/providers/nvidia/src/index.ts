import { MEDIA_NAMES, openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'

/**
 * NVIDIA NIM: chat completions and embeddings, and the live list of models.
 *
 * Embeddings of retrieval models want to know what for: `input_type` is `query` or `passage`. Limits the output by
 * `max_tokens`. Its list says nothing of what a model is for.
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
  elsewhere: MEDIA_NAMES,
  known: models,
})
