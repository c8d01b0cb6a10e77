import { isObject, type Json, number, objects, text } from '../canonical/json.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { HttpResponse } from '../contract/http.ts'
import type { Ranked, RerankRequest, RerankResponse, RerankSupport } from '../contract/rerank.ts'
import { HeadgateError } from '../errors.ts'

/** How a server's reranking deviates from the shape that most share. */
export interface RerankFacts extends Pick<RerankSupport, 'most' | 'billing'> {
  /** Below the base URL; default `/rerank`. */
  readonly path?: string
  /** Name of the field that says how many are wanted; default `top_n`. */
  readonly top?: string
  /** Name of the field that says how many tokens of a document count; default none. */
  readonly maxTokensPerDocument?: string
  /** Fields that every request has: `{ return_documents: false }`. */
  readonly fields?: Json
  /** Name of the field with the results; default `results`. */
  readonly results?: string
}

/**
 * Reranking by `POST /rerank` in the shape that Cohere began and most have taken over.
 * @see https://docs.cohere.com/reference/rerank
 * @see https://jina.ai/reranker/
 */
export function rerankSupport(
  facts: RerankFacts = {},
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
        call.lose('max_tokens_per_doc', 'the provider has nothing like it')
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
    throw new HeadgateError('upstream', `The provider ranked nothing: its answer has no list in \`${list}\`.`)
  const results = objects(answer[list]).flatMap((one): Ranked[] => {
    const [index, score] = [number(one['index']), number(one['relevance_score'])]
    return index === undefined || score === undefined ? [] : [{ index, score }]
  })
  const model = text(answer['model'])
  const usage = usageOf(answer)
  return { results, ...(model !== undefined && { model }), ...(usage && { usage }) }
}

/**
 * Searches where those are billed, as Cohere and who hands on to it say them; or tokens, as `usage` or SiliconFlow's
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
