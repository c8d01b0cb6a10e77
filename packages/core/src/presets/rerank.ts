import { isObject, type Json, number, objects, text } from '../canonical/json.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { HttpResponse } from '../contract/http.ts'
import type { Ranked, RerankRequest, RerankResponse, RerankSupport } from '../contract/rerank.ts'
import { HeadgateError } from '../errors.ts'

/** Differences between a server and the common reranking shape. */
export interface RerankOptions extends Pick<RerankSupport, 'most' | 'billing'> {
  /** Path below the base URL; default `/rerank`. */
  readonly path?: string
  /** Field with the number of results; default `top_n`. */
  readonly top?: string
  /** Field with the maximum number of tokens per document; default none. */
  readonly maxTokensPerDocument?: string
  /** Fields of every request: `{ return_documents: false }`. */
  readonly fields?: Json
  /** Field with the results; default `results`. */
  readonly results?: string
}

/**
 * Support for `POST /rerank` in the common shape, which Cohere introduced.
 * @example const provider = { baseUrl, credential, rerank: rerankSupport({ most: 1000, top: 'top_k' }) }
 * @see https://docs.cohere.com/reference/rerank
 * @see https://jina.ai/reranker/
 */
export function rerankSupport(
  facts: RerankOptions = {},
  headers: Readonly<Record<string, string>> = {},
  base = '',
): RerankSupport {
  const {
    path = '/rerank',
    top: topField = 'top_n',
    maxTokensPerDocument: tokensField,
    fields,
    results: list = 'results',
    most,
    billing,
  } = facts
  const exchange: Exchange<RerankRequest, RerankResponse> = {
    request({ model, query, documents, top, maxTokensPerDocument }, call) {
      if (maxTokensPerDocument !== undefined && tokensField === undefined)
        call.lose('max_tokens_per_doc', 'the provider has no equivalent')
      const json = {
        model,
        query,
        documents,
        ...fields,
        ...(top !== undefined && { [topField]: top }),
        ...(maxTokensPerDocument !== undefined && tokensField !== undefined && { [tokensField]: maxTokensPerDocument }),
      }
      return { method: 'POST', url: `${base}${path}`, headers, body: { json } }
    },
    response: (answer) => readRanked(answer, list),
  }
  return { ...exchange, ...(most !== undefined && { most }), ...(billing && { billing }) }
}

function readRanked({ body }: HttpResponse, list: string): RerankResponse {
  const answer = isObject(body) ? body : {}
  if (!Array.isArray(answer[list]))
    throw new HeadgateError('upstream', `The provider returned no ranking: its response has no list in \`${list}\`.`)
  const results = objects(answer[list]).flatMap((one): Ranked[] => {
    const [index, score] = [number(one['index']), number(one['relevance_score'])]
    return index === undefined || score === undefined ? [] : [{ index, score }]
  })
  const model = text(answer['model'])
  const usage = usageOf(answer)
  return { results, ...(model !== undefined && { model }), ...(usage && { usage }) }
}

/**
 * Usage of a response: searches as Cohere and its resellers report them, or tokens in `usage` or in SiliconFlow's
 * `tokens`.
 */
function usageOf({ meta, usage, tokens }: Json): RerankResponse['usage'] {
  const [billed, counted, bare] = [within(within(meta)['billed_units']), within(usage), within(tokens)]
  const searches = number(billed['search_units']) ?? number(counted['search_units'])
  if (searches !== undefined) return { input: 0, output: 0, units: { searches } }
  const input = number(counted['prompt_tokens']) ?? number(counted['total_tokens']) ?? number(bare['input_tokens'])
  return input === undefined ? undefined : { input, output: 0 }
}

const within = (value: unknown): Json => (isObject(value) ? value : {})
