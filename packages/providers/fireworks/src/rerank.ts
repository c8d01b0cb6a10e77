import type { RerankFacts } from '@headgate/core/provider'

/**
 * The results are `data`, and have their documents unless told not to. @see
 * https://fireworks.ai/docs/api-reference/rerank-documents
 */
export const rerank: RerankFacts = { fields: { return_documents: false }, results: 'data' }
