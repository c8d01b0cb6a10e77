import { type EmbeddingsSupport, HeadgateError } from '@headgate/core/provider'
import { z } from 'zod'

const Embedded = z.object({ embeddings: z.array(z.array(z.number())), prompt_eval_count: z.number().nullish() })

/** Inputs that are too long are rejected: by default, the vendor would truncate them silently. */
export const embeddings: EmbeddingsSupport = {
  request({ model, inputs, dimensions, use }, { lose }) {
    if (use) lose('input_type', 'the provider has one kind of vectors')
    const json = { model, input: inputs, truncate: false, ...(dimensions !== undefined && { dimensions }) }
    return { method: 'POST', url: '/api/embed', body: { json } }
  },
  response({ body }, { inputs }) {
    const { embeddings: vectors, prompt_eval_count: input } = Embedded.parse(body)
    if (vectors.length !== inputs.length)
      throw new HeadgateError(
        'upstream',
        `POST /api/embed did not return one vector for each of the ${inputs.length} inputs.`,
      )
    return { vectors, ...(typeof input === 'number' && { usage: { input, output: 0 } }) }
  },
}
