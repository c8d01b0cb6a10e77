import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * Jina AI: embeddings and reranking, no chat.
 *
 * The use of vectors is `task`, their encoding `embedding_type`. The model list.
 *
 * @see https://api.jina.ai/redoc
 */
export const jina = openAICompatible({
  id: 'jina',
  title: 'Jina AI',
  baseUrl: 'https://api.jina.ai/v1',
  env: { apiKey: ['JINA_AI_API_KEY'] },
  claims: [/^jina-/],
  chat: false,
  models: false,
  embeddings: {
    tokens: false,
    rename: { encoding_format: 'embedding_type', input_type: 'task' },
    inputTypes: {
      query: 'retrieval.query',
      document: 'retrieval.passage',
      similarity: 'text-matching',
      classification: 'classification',
      clustering: 'separation',
    },
  },
  rerank: { fields: { return_documents: false } },
})
