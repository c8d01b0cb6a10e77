import { z } from 'zod'
import type { Codec } from '../../../src/codec.ts'
import { bearer } from '../../../src/credentials.ts'
import {
  defineProvider,
  type EmbeddingsSupport,
  type EmbeddingUse,
  endpoint,
  endpointEnv,
  HeadgateError,
} from '../../../src/provider.ts'

const INPUT_TYPES: Readonly<Partial<Record<EmbeddingUse, string>>> = {
  query: 'search_query',
  document: 'search_document',
  classification: 'classification',
  clustering: 'clustering',
}

const Embedded = z.object({
  embeddings: z.object({ float: z.array(z.array(z.number())) }),
  meta: z.object({ billed_units: z.object({ input_tokens: z.number() }) }),
})

/** @see https://docs.cohere.com/reference/embed */
const embeddings: EmbeddingsSupport = {
  batch: 96,
  request({ model, inputs, dimensions, use }, { lose }) {
    const input_type = use && INPUT_TYPES[use]
    if (use && !input_type) lose('input_type', 'there is nothing like it')
    const body = {
      model,
      texts: inputs,
      input_type: input_type ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: dimensions,
    }
    return { method: 'POST', url: '/v2/embed', body: { json: body } }
  },
  response({ body }, { inputs }) {
    const { embeddings, meta } = Embedded.parse(body)
    if (embeddings.float.length !== inputs.length)
      throw new HeadgateError('upstream', 'There is not one vector for each text.')
    return { vectors: embeddings.float, usage: { input: meta.billed_units.input_tokens, output: 0 } }
  },
}

/** A format and embeddings of its own. Rerank has no member yet. */
export const cohere = (chat: Codec) =>
  defineProvider(
    {
      id: 'cohere',
      title: 'Cohere',
      config: z.strictObject(endpoint('https://api.cohere.com')),
      env: endpointEnv('cohere'),
    },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: bearer(apiKey),
      chat: [{ format: chat, path: () => '/v2/chat' }],
      embeddings,
    }),
  )
