import type { EmbeddingsFacts, RerankFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://docs.voyageai.com/reference/embeddings-api */
const Asked = z.strictObject({
  model: z.string(),
  input: z.array(z.string()).max(1000),
  input_type: z.enum(['query', 'document']).nullish(),
  truncation: z.boolean().optional(),
  output_dimension: z.int().nullish(),
  output_dtype: z.string().optional(),
  encoding_format: z.literal('base64').nullish(),
})

/** Voyage AI, as its documentation describes it. */
export const embeddings: EmbeddingsFacts = {
  model: 'voyage-4',
  path: '/v1/embeddings',
  batch: 1000,
  read({ body }) {
    const { input, input_type, output_dimension, encoding_format } = Asked.parse(body)
    return {
      inputs: input,
      dimensions: output_dimension ?? undefined,
      use: input_type ?? undefined,
      encoding: encoding_format ?? 'float',
    }
  },
  write: ({ vectors, tokens, encoding }) => ({
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      embedding: encoding === 'base64' ? base64(vector) : vector,
      index,
    })),
    model: 'voyage-4',
    usage: { total_tokens: tokens },
  }),
  error: (_, message) => ({ detail: message }),
}

function base64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}

/** @see https://docs.voyageai.com/reference/reranker-api */
const Ranked = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()).max(1000),
  top_k: z.int().nullish(),
  return_documents: z.boolean().optional(),
  truncation: z.boolean().optional(),
})

export const rerank: RerankFacts = {
  model: 'rerank-2.5',
  path: '/v1/rerank',
  most: 1000,
  read({ body }) {
    const { query, documents, top_k } = Ranked.parse(body)
    return { query, documents, top: top_k ?? undefined }
  },
  write: ({ results, tokens }) => ({
    object: 'list',
    data: results.map(({ index, score }) => ({ relevance_score: score, index })),
    model: 'rerank-2.5',
    usage: { total_tokens: tokens },
  }),
  error: (_, message) => ({ detail: message }),
}
