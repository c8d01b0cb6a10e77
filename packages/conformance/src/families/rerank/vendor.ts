import type { Json } from '@headgate/core/provider'
import { number, object, text } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { RerankAnswer, RerankFacts, RerankMeaning } from './facts.ts'

/** Simulated vendor that ranks short documents before long ones. */
export interface RerankVendor {
  /** Responds according to its facts. */
  answer(request: Received): UpstreamReply
  /** Requests as it understood them, oldest first. */
  readonly asked: readonly RerankMeaning[]
  readonly refusals: readonly string[]
  error(status: number, message: string): object
  write(answer: RerankAnswer, request: Received): Json
}

/** Score of a document. All documents of the kit have different scores. */
export const scoreOf = (document: string): number => 1 / (1 + document.length)

/** Usage of a request. */
export function countOf({ query, documents }: RerankMeaning): { tokens: number; searches: number } {
  return {
    tokens: documents.reduce((sum, document) => sum + document.length, query.length),
    searches: Math.ceil(documents.length / 100),
  }
}

export function rerankVendor(facts: RerankFacts): RerankVendor {
  const {
    read = readShared,
    write = writeShared,
    error = (_, message) => ({ message }),
    most = Number.POSITIVE_INFINITY,
  } = facts
  const asked: RerankMeaning[] = []
  const refusals: string[] = []
  const refuse = (reason: string): UpstreamReply => {
    refusals.push(reason)
    return { kind: 'whole', status: 400, body: error(400, reason) }
  }
  return {
    asked,
    refusals,
    error,
    write,
    answer(request) {
      try {
        const found = read(request)
        const { query, documents, top = documents.length } = found
        if (query === '') return refuse('the query is missing')
        if (documents.length === 0) return refuse('the documents are missing')
        if (documents.length > most) return refuse(`${documents.length} documents, ${most} at most`)
        asked.push(found)
        const all = documents.map((document, index) => ({ index, score: scoreOf(document) }))
        const results = all.sort((one, other) => other.score - one.score).slice(0, top)
        return { kind: 'whole', body: write({ results, ...countOf(found) }, request) }
      } catch (problem) {
        return refuse(
          `\`read\` or \`write\` of the facts throws: ${problem instanceof Error ? problem.message : String(problem)}`,
        )
      }
    },
  }
}

/** @see https://docs.cohere.com/reference/rerank and https://jina.ai/reranker/ */
function readShared({ body }: Received): RerankMeaning {
  const { model, query, documents, top_n, return_documents, ...others } = object(body)
  if (text(model) === '') throw new Error('`model` is missing')
  const unknown = Object.keys(others)
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
  if (return_documents !== undefined && typeof return_documents !== 'boolean')
    throw new Error('`return_documents` is not a boolean')
  return { query: text(query), documents: textsOf(documents), top: number(top_n) }
}

/**
 * Strings of a list.
 *
 * @throws for other values
 */
export function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string'))
    throw new Error('the documents are not a list of strings')
  return value
}

function writeShared({ results, tokens }: RerankAnswer): Json {
  return {
    id: 'rank-1',
    model: 'example-rerank-2026-01-01',
    results: results.map(({ index, score }) => ({ index, relevance_score: score })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
