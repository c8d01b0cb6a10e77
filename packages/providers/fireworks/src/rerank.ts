import type { RerankOptions } from '@headgate/core/provider'

/** Results are in `data`, and include their documents by default. */
export const rerank: RerankOptions = { fields: { return_documents: false }, results: 'data' }
