import { type RerankOptions, rerankSupport } from '@headgate/core/provider'

const FACTS: RerankOptions = {
  path: '/v2/rerank',
  // More than 1,000 are discouraged, not rejected.
  most: 10_000,
  maxTokensPerDocument: 'max_tokens_per_doc',
  // One search is a query with up to 100 documents. A document of more than 500 tokens, including the query, counts as
  // several.
  billing: { documents: 100, tokens: 500 },
}

/**
 * @see https://docs.cohere.com/v2/reference/rerank, https://docs.cohere.com/v2/docs/reranking-best-practices and
 * https://cohere.com/pricing
 */
export const rerank = rerankSupport(FACTS)
