import type { RerankFacts } from '@headgate/conformance'

/** Tokens stand beside the results. @see https://docs.siliconflow.com/en/api-reference/rerank/create-rerank */
export const rerank: RerankFacts = {
  model: 'Qwen/Qwen3-Reranker-8B',
  path: '/v1/rerank',
  write: ({ results, tokens }) => ({
    id: '1',
    results: results.map(({ index, score }) => ({ index, relevance_score: score })),
    tokens: { input_tokens: tokens, output_tokens: 0 },
  }),
}
