import type { RerankFacts } from '@headgate/core/provider'

/** How many are wanted is `top_k`, and the results are `data`. @see https://docs.voyageai.com/reference/reranker-api */
export const rerank: RerankFacts = { most: 1000, top: 'top_k', results: 'data' }
