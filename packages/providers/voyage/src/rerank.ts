import type { RerankFacts } from '@headgate/core/provider'

/** The number of results is `top_k`, and the results are in `data`. */
export const rerank: RerankFacts = { most: 1000, top: 'top_k', results: 'data' }
