import { type EmbeddingsRequest, type EmbeddingsResponse, type Exchange, HeadgateError } from '@headgate/core'
import { z } from 'zod'
import { JSON_TYPE, methodPath, resourceName } from './resource.ts'

/** More are refused: "at most 100 requests can be in one batch". */
const BATCH = 100

/** Zeros are left out. */
const Batch = z.object({
  embeddings: z.array(z.object({ values: z.array(z.number()) })),
  usageMetadata: z.object({ promptTokenCount: z.number().optional() }).optional(),
})

/**
 * Vectors of texts. Each text is a request of its own within the batch: newer models make one vector of the parts of one content.
 *
 * @see https://ai.google.dev/api/embeddings#method:-models.batchembedcontents
 */
export const embeddings: Exchange<EmbeddingsRequest, EmbeddingsResponse> & { readonly batch: number } = {
  batch: BATCH,
  request: ({ model, inputs, dimensions }) => ({
    method: 'POST',
    url: methodPath(model, 'batchEmbedContents'),
    headers: JSON_TYPE,
    body: JSON.stringify({
      requests: inputs.map((text) => ({
        model: resourceName(model),
        content: { parts: [{ text }] },
        outputDimensionality: dimensions,
      })),
    }),
  }),
  response({ body }, { inputs }) {
    const { embeddings, usageMetadata } = Batch.parse(body)
    if (embeddings.length !== inputs.length) {
      throw new HeadgateError('upstream', `batchEmbedContents answered with ${embeddings.length} vectors for ${inputs.length} inputs.`)
    }
    const input = usageMetadata?.promptTokenCount
    return { vectors: embeddings.map(({ values }) => values), ...(input !== undefined && { usage: { input } }) }
  },
}
