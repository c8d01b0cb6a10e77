import type { RerankOptions } from '@headgate/core/provider'

/** The number of results is `top_k`, and the results are in `data`. */
export const rerank: RerankOptions = { most: 1000, top: 'top_k', results: 'data' }
