import type { Usage } from '@headgate/core/canonical'
import { dropped, isObject, type Json, type Loss } from '@headgate/core/canonical'
import type { Ranked, RerankResponse } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { z } from 'zod'

const Document = z.union([z.string(), z.looseObject({})])

/**
 * The body of `POST /v1/rerank`, in the shape that Cohere and Jina share.
 * @see https://docs.cohere.com/reference/rerank
 * @see https://docs.cohere.com/v1/reference/rerank
 * @see https://jina.ai/reranker/
 */
export const rerankRequestSchema = z.looseObject({
  model: z.string().min(1),
  query: z.string().min(1),
  /** Strings, or objects with a `text` field or the fields in `rank_fields`. */
  documents: z.array(Document).min(1),
  /** Maximum number of results; default all. */
  top_n: z.int().min(1).nullish(),
  /** True to include documents in the results; default false. */
  return_documents: z.boolean().nullish(),
  /** Fields of documents to rank by, in this order. */
  rank_fields: z.array(z.string().min(1)).min(1).nullish(),
  /** Maximum tokens of each document that count. */
  max_tokens_per_doc: z.int().min(1).nullish(),
})

const KNOWN: ReadonlySet<string> = new Set(Object.keys(rerankRequestSchema.shape))

/** Rerank request, read from its wire. */
export interface RerankInput {
  readonly query: string
  /** Documents as strings. */
  readonly documents: readonly string[]
  readonly top: number | undefined
  readonly maxTokensPerDocument: number | undefined
  /** The caller's documents; undefined = the response must not include them. */
  readonly originalDocuments: readonly (string | Json)[] | undefined
  /** Fields of the body that are not supported. */
  readonly losses: readonly Loss[]
}

/** @throws HeadgateError that names the invalid field. */
export function readRerank(body: Json): RerankInput {
  const read = rerankRequestSchema.safeParse(body)
  const [issue] = read.error?.issues ?? []
  if (!read.success) throw issue ? refusal(body, issue) : invalid(undefined, 'The body is not valid.')
  const { query, documents, top_n, return_documents, rank_fields, max_tokens_per_doc } = read.data
  const losses: Loss[] = []
  for (const key of Object.keys(body)) if (!KNOWN.has(key)) dropped(losses, key, 'unknown field')
  return {
    query,
    documents: documents.map((one, index) => textOf(one, index, rank_fields ?? undefined)),
    top: top_n == null || top_n >= documents.length ? undefined : top_n,
    maxTokensPerDocument: max_tokens_per_doc ?? undefined,
    originalDocuments: return_documents ? documents : undefined,
    losses,
  }
}

function refusal(body: Json, { path, message }: z.core.$ZodIssue): Error {
  const field = path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('')
  const [first = ''] = path.map(String)
  if (first !== '' && body[first] === undefined) return invalid(first, `The field ${first} is missing.`)
  if (first === 'documents')
    return invalid(field, 'The field documents must be a non-empty list of strings or of objects with a `text` field.')
  return invalid(field, `The field ${field} is not valid: ${message}.`)
}

/** A document as a string, one line per field. */
function textOf(document: string | Json, index: number, fields: readonly string[] | undefined): string {
  if (typeof document === 'string') return document
  const field = `documents[${index}]`
  if (!fields) {
    if (typeof document['text'] === 'string') return document['text']
    throw invalid(field, `The document ${index} has no \`text\`. List the fields to rank by in \`rank_fields\`.`)
  }
  const lines = fields.flatMap((name) => {
    const value = Object.hasOwn(document, name) ? document[name] : undefined
    return value == null ? [] : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`]
  })
  if (lines.length > 0) return lines.join('\n')
  throw invalid(field, `The document ${index} has no field that \`rank_fields\` lists.`)
}

/**
 * The results of a response, best first, cut to the caller's limit.
 * @throws HeadgateError if the results do not match the documents or are too few.
 */
export function checkedRanks(
  answer: Pick<RerankResponse, 'results'>,
  { documents, top }: Pick<RerankInput, 'documents' | 'top'>,
): readonly Ranked[] {
  const results = answer?.results
  if (!Array.isArray(results)) throw new HeadgateError('upstream', "The provider's response has no ranking.")
  const due = top ?? documents.length
  const seen = new Set<number>()
  for (const { index, score } of results) {
    if (
      !Number.isInteger(index) ||
      index < 0 ||
      index >= documents.length ||
      seen.has(index) ||
      !Number.isFinite(score)
    )
      throw new HeadgateError('upstream', "The provider's ranking has an invalid or repeated document index.")
    seen.add(index)
  }
  if (seen.size < due)
    throw new HeadgateError('upstream', `The provider ranked ${seen.size} documents instead of ${due}.`)
  return [...results].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, due)
}

/** Content of a rerank response. */
export interface RerankOutput extends Pick<RerankResponse, 'results'> {
  /** Request id. */
  readonly id: string
  readonly model: string
  readonly usage: Usage | undefined
}

/** Writes a response. Usage is in searches if the provider bills those, else in tokens. */
export function writeRerank(
  { id, model, results, usage }: RerankOutput,
  { originalDocuments }: Pick<RerankInput, 'originalDocuments'>,
): Json {
  const searches = usage?.units?.['searches']
  const tokens = usage && (searches === undefined || usage.input > 0) ? usage.input : undefined
  return {
    object: 'list',
    id,
    model,
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(originalDocuments && { document: documentOf(originalDocuments[index]) }),
    })),
    ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    ...(searches !== undefined && { meta: { billed_units: { search_units: searches } } }),
  }
}

function documentOf(given: string | Json | undefined): Json {
  return isObject(given) ? given : { text: given }
}
