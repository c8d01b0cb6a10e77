import { type EmbeddingsSupport, type EmbeddingUse, HeadgateError } from '@headgate/core/provider'
import { z } from 'zod'
import { methodPath, resourceName } from './resource.ts'

/** Maximum number of requests. The vendor's error for more: "at most 100 requests can be in one batch". */
const BATCH = 100

/** @see https://ai.google.dev/api/embeddings#v1beta.TaskType */
const TASK_TYPES: Readonly<Record<EmbeddingUse, string>> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  similarity: 'SEMANTIC_SIMILARITY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
}

/** Zeros are omitted. */
const Batch = z.object({
  embeddings: z.array(z.object({ values: z.array(z.number()) })),
  usageMetadata: z.object({ promptTokenCount: z.number().optional() }).optional(),
})

/**
 * Embeddings of text. Requests of Gemini API callers are forwarded unchanged, including images and audio. Each input is
 * a separate request within the batch, because newer models create one vector for all parts of a content.
 *
 * @see https://ai.google.dev/api/embeddings#method:-models.embedcontent
 * @see https://ai.google.dev/api/embeddings#method:-models.batchembedcontents
 */
export const embeddings: EmbeddingsSupport = {
  batch: BATCH,
  native: {
    'embed-content': (model) => methodPath(model, 'embedContent'),
    'batch-embed-contents': (model) => methodPath(model, 'batchEmbedContents'),
  },
  request: ({ model, inputs, dimensions, use }) => ({
    method: 'POST',
    url: methodPath(model, 'batchEmbedContents'),
    body: {
      json: {
        requests: inputs.map((text) => ({
          model: resourceName(model),
          content: { parts: [{ text }] },
          taskType: use && TASK_TYPES[use],
          outputDimensionality: dimensions,
        })),
      },
    },
  }),
  response({ body }, { inputs }) {
    const { embeddings, usageMetadata } = Batch.parse(body)
    if (embeddings.length !== inputs.length) {
      throw new HeadgateError(
        'upstream',
        `batchEmbedContents answered with ${embeddings.length} vectors for ${inputs.length} inputs.`,
      )
    }
    const input = usageMetadata?.promptTokenCount
    return {
      vectors: embeddings.map(({ values }) => values),
      ...(input !== undefined && { usage: { input, output: 0 } }),
    }
  },
}
