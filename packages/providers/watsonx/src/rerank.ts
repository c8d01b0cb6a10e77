import type { RerankSupport } from '@headgate/core/provider'
import { z } from 'zod'
import type { RequestScope } from './scope.ts'

const Ranked = z.object({
  model_id: z.string().optional(),
  results: z.array(z.object({ index: z.number(), score: z.number() })),
  input_token_count: z.number().optional(),
})

/**
 * @see https://cloud.ibm.com/apidocs/watsonx-ai#text-rerank and
 * https://ibm.github.io/watsonx-ai-java-sdk/services/rerank-service
 */
export function rerankAt({ owner, version }: RequestScope): RerankSupport {
  return {
    most: 1000,
    request({ model, query, documents, top, maxTokensPerDocument }, { lose }) {
      if (maxTokensPerDocument !== undefined)
        lose('max_tokens_per_doc', 'the provider truncates documents together with the query')
      const inputs = documents.map((text) => ({ text }))
      const parameters = top !== undefined && { parameters: { return_options: { top_n: top } } }
      const json = { model_id: model, query, inputs, ...parameters, ...owner }
      return { method: 'POST', url: `/ml/v1/text/rerank?${version}`, body: { json } }
    },
    response({ body }) {
      const { model_id: model, results, input_token_count: input } = Ranked.parse(body)
      return {
        results,
        ...(model !== undefined && { model }),
        ...(input !== undefined && { usage: { input, output: 0 } }),
      }
    },
  }
}
