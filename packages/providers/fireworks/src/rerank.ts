import type { RerankFacts } from '@headgate/core/provider'

/** Results are in `data`, and include their documents by default. */
export const rerank: RerankFacts = { fields: { return_documents: false }, results: 'data' }
