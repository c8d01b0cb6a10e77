import { type EmbeddingsSupport, HeadgateError } from '@headgate/core/provider'
import { z } from 'zod'

/** A vector is nested in a list, or not. */
const Embedded = z.object({
  data: z.array(
    z.object({
      index: z.int().nonnegative().optional(),
      embedding: z.array(z.union([z.number(), z.array(z.number())])),
    }),
  ),
  usage: z.object({ total_tokens: z.number().optional() }).nullish(),
})

/** @see https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-rest-api/embed-api */
export const embeddings: EmbeddingsSupport = {
  request({ model, inputs, dimensions, use }, { lose }) {
    if (dimensions !== undefined) lose('dimensions', 'the vectors of a model have a fixed length')
    if (use) lose('input_type', 'the provider has one kind of vectors')
    return { method: 'POST', url: '/api/v2/cortex/inference:embed', body: { json: { model, text: inputs } } }
  },
  response({ body }, { inputs }) {
    const { data, usage } = Embedded.parse(body)
    const vectors = data
      .map(({ index, embedding }, place) => ({ place: index ?? place, vector: embedding.flat() }))
      .sort((a, b) => a.place - b.place)
    if (vectors.length !== inputs.length || vectors.some(({ place }, at) => place !== at))
      throw new HeadgateError(
        'upstream',
        `inference:embed did not return one vector for each of the ${inputs.length} inputs.`,
      )
    return {
      vectors: vectors.map(({ vector }) => vector),
      ...(usage?.total_tokens !== undefined && { usage: { input: usage.total_tokens, output: 0 } }),
    }
  },
}
