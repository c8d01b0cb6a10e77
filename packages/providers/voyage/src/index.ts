import { openAICompatible } from '@headgate/core/openai-compatible'
import { models } from './models.ts'
import { rerank } from './rerank.ts'

/**
 * Voyage AI: embeddings and reranking, no chat.
 *
 * The model list. The length of vectors is `output_dimension`.
 *
 * @see https://docs.voyageai.com/reference/embeddings-api
 */
export const voyage = openAICompatible({
  id: 'voyage',
  title: 'Voyage AI',
  baseUrl: 'https://api.voyageai.com/v1',
  claims: [/^voyage-/, /^rerank-(?:lite-)?[12]/],
  chat: false,
  models: false,
  known: models,
  embeddings: {
    batch: 1000,
    tokens: false,
    rename: { dimensions: 'output_dimension' },
    inputTypes: { query: 'query', document: 'document' },
  },
  rerank,
})
