import { type EmbeddingsSupport, HeadgateError } from '@headgate/core/provider'
import { z } from 'zod'
import type { RequestScope } from './scope.ts'

const Embedded = z.object({
  model_id: z.string().optional(),
  results: z.array(z.object({ embedding: z.array(z.number()) })),
  input_token_count: z.number().optional(),
})

/**
 * @see https://cloud.ibm.com/apidocs/watsonx-ai#text-embeddings and
 * https://ibm.github.io/watsonx-ai-java-sdk/services/embedding-service
 */
export function embeddingsAt({ owner, version }: RequestScope): EmbeddingsSupport {
  return {
    batch: 1000,
    request({ model, inputs, dimensions, use }, { lose }) {
      if (dimensions !== undefined) lose('dimensions', 'the vectors of a model have a fixed length')
      if (use !== undefined) lose('input_type', 'the provider has one kind of vectors')
      return {
        method: 'POST',
        url: `/ml/v1/text/embeddings?${version}`,
        body: { json: { model_id: model, inputs, ...owner } },
      }
    },
    response({ body }, { inputs }) {
      const { model_id: model, results, input_token_count: input } = Embedded.parse(body)
      if (results.length !== inputs.length)
        throw new HeadgateError(
          'upstream',
          `POST /text/embeddings answered with ${results.length} vectors for ${inputs.length} inputs.`,
        )
      const vectors = results.map(({ embedding }) => embedding)
      return {
        vectors,
        ...(model !== undefined && { model }),
        ...(input !== undefined && { usage: { input, output: 0 } }),
      }
    },
  }
}
