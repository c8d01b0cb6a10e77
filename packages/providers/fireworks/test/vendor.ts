import type { RerankFacts } from '@headgate/conformance'
import { z } from 'zod'

/** It takes no other fields. @see https://docs.fireworks.ai/api-reference/rerank-documents.md */
const Asked = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()).min(1),
  top_n: z.int().min(1).optional(),
  return_documents: z.boolean().default(true),
  task: z.string().optional(),
})

/** Fireworks AI, as its documentation describes it. */
export const rerank: RerankFacts = {
  model: 'accounts/fireworks/models/qwen3-reranker-8b',
  path: '/inference/v1/rerank',
  read({ body }) {
    const { query, documents, top_n: top } = Asked.parse(body)
    return { query, documents, top }
  },
  write({ results, tokens }, { body }) {
    const { documents, return_documents } = Asked.parse(body)
    return {
      object: 'list',
      model: 'accounts/fireworks/models/qwen3-reranker-8b',
      data: results.map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(return_documents && { document: documents[index] }),
      })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }
  },
}
