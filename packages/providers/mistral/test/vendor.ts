import type { EmbeddingsFacts } from '@headgate/conformance'
import { z } from 'zod'

/** @see https://docs.mistral.ai/api/endpoint/embeddings */
const Asked = z.strictObject({
  model: z.string(),
  input: z.array(z.string()),
  output_dimension: z.int().nullish(),
  output_dtype: z.string().optional(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

/** Mistral's embeddings, as its documentation describes it. */
export const embeddings: EmbeddingsFacts = {
  model: 'mistral-embed',
  path: '/v1/embeddings',
  read({ body }) {
    const { input, output_dimension, encoding_format } = Asked.parse(body)
    return {
      inputs: input,
      dimensions: output_dimension ?? undefined,
      encoding: encoding_format ?? 'float',
    }
  },
  write: ({ vectors, tokens, encoding }) => ({
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      embedding: encoding === 'base64' ? base64(vector) : vector,
      index,
    })),
    model: 'mistral-embed',
    usage: { total_tokens: tokens },
  }),
  error: (_, message) => ({ detail: message }),
}

function base64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}
