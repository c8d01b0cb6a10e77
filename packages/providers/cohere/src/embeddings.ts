import { type EmbeddingsSupport, type EmbeddingUse, HeadgateError } from '@headgate/core/provider'
import { z } from 'zod'

const INPUT_TYPES: Readonly<Partial<Record<EmbeddingUse, string>>> = {
  query: 'search_query',
  document: 'search_document',
  classification: 'classification',
  clustering: 'clustering',
}

const Embedded = z.object({
  embeddings: z.object({ float: z.array(z.array(z.number())) }),
  meta: z.object({ billed_units: z.object({ input_tokens: z.number().optional() }).nullish() }).nullish(),
})

/** The vendor requires a use of vectors. The default is documents. */
export const embeddings: EmbeddingsSupport = {
  batch: 96,
  request({ model, inputs, dimensions, use }, { lose }) {
    const input_type = use && INPUT_TYPES[use]
    if (use && !input_type) lose('input_type', 'the vendor has no equivalent')
    const json = {
      model,
      texts: inputs,
      input_type: input_type ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: dimensions,
    }
    return { method: 'POST', url: '/v2/embed', body: { json } }
  },
  response({ body }, { inputs }) {
    const { embeddings, meta } = Embedded.parse(body)
    if (embeddings.float.length !== inputs.length)
      throw new HeadgateError(
        'upstream',
        `POST /v2/embed did not return one vector for each of the ${inputs.length} inputs.`,
      )
    const input = meta?.billed_units?.input_tokens
    return { vectors: embeddings.float, ...(input !== undefined && { usage: { input, output: 0 } }) }
  },
}
