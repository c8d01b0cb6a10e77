import { openAICompatibleServer } from '../../../core/src/openai-compatible.ts'
import type { ProviderInstance, RerankOptions } from '../../../core/src/provider.ts'
import { SECRET } from './gateway.ts'
import type { UpstreamCall } from './upstream.ts'

/** Bodies are written from https://docs.cohere.com/reference/rerank and https://jina.ai/reranker/. */

export const BY_TOKENS = { id: 'list@today', input: 20_000_000, output: 0 }
export const BY_SEARCHES = { id: 'list@today', input: 0, output: 0, units: { searches: 2_000_000_000_000 } }
export const SEARCHES: RerankOptions = {
  billing: { documents: 100, tokens: 500 },
  maxTokensPerDocument: 'max_tokens_per_doc',
}

export function ranker(
  baseUrl: string,
  {
    rerank = true,
    name = 'alpha',
    price = BY_TOKENS,
  }: { rerank?: boolean | RerankOptions; name?: string; price?: typeof BY_TOKENS } = {},
): ProviderInstance {
  const known = [{ id: 'rank-1', families: ['rerank'], price }]
  return { name, claims: [], ...openAICompatibleServer({ baseUrl, apiKey: SECRET, rerank, models: false, known }) }
}

/** Shorter documents answer better; results come best first. */
export function ranks(
  documents: readonly string[],
  top = documents.length,
): { index: number; relevance_score: number }[] {
  const all = documents.map((text, index) => ({ index, relevance_score: 1 / (1 + text.length) }))
  return all.sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index).slice(0, top)
}

/** Counts as Jina does: the query again with each document, a token a word. */
export function byTokens(call: UpstreamCall): void {
  const { query, documents, top_n } = call.json() as { query: string; documents: string[]; top_n?: number }
  const words = (text: string): number => text.split(' ').length
  const total = documents.reduce((sum, one) => sum + words(query) + words(one), 0)
  call.answer(200, {
    object: 'list',
    model: 'rank-1-2026',
    results: ranks(documents, top_n),
    usage: { total_tokens: total },
  })
}

/** Counts as Cohere does. */
export function bySearches(call: UpstreamCall): void {
  const { documents, top_n } = call.json() as { documents: string[]; top_n?: number }
  const units = { search_units: Math.ceil(documents.length / 100) }
  call.answer(200, {
    id: 'an-id',
    results: ranks(documents, top_n),
    meta: { api_version: { version: '2' }, billed_units: units },
  })
}
