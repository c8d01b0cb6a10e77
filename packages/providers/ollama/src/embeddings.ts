import { type EmbeddingsSupport, HeadgateError } from '@headgate/core/provider'
import { z } from 'zod'

const Embedded = z.object({ embeddings: z.array(z.array(z.number())), prompt_eval_count: z.number().nullish() })

/** What is too long is refused: by default it would be cut, in silence. @see https://docs.ollama.com/api/embed */
export const embeddings: EmbeddingsSupport = {
  request({ model, inputs, dimensions, use }, { lose }) {
    if (use) lose('input_type', 'there is one kind of vectors')
    const json = { model, input: inputs, truncate: false, ...(dimensions !== undefined && { dimensions }) }
    return { method: 'POST', url: '/api/embed', body: { json } }
  },
  response({ body }, { inputs }) {
    const { embeddings: vectors, prompt_eval_count: input } = Embedded.parse(body)
    if (vectors.length !== inputs.length)
      throw new HeadgateError(
        'upstream',
        `POST /api/embed did not answer with one vector for each of the ${inputs.length} inputs.`,
      )
    return { vectors, ...(typeof input === 'number' && { usage: { input, output: 0 } }) }
  },
}
