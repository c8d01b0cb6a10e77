import { type EmbeddingsSupport, type EmbeddingUse, HeadgateError } from '@headgate/core/provider'
import { z } from 'zod'
import { modelPath } from './resource.ts'

/** @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/embeddings/task-types */
const TASK_TYPES: Readonly<Record<EmbeddingUse, string>> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  similarity: 'SEMANTIC_SIMILARITY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
}

const Predicted = z.object({
  predictions: z.array(
    z.object({
      embeddings: z.object({
        values: z.array(z.number()),
        statistics: z.object({ token_count: z.number() }).nullish(),
      }),
    }),
  ),
})

/**
 * Embeddings of text; `gemini-embedding-001` accepts one input per request. Inputs that are too long are rejected: by
 * default, the vendor would truncate them silently.
 *
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 */
export function embeddingsAt(home: string): EmbeddingsSupport {
  const path = (model: string): string => `${modelPath(home, 'google', model)}:predict`
  return {
    batch: (model) => (model.startsWith('gemini-embedding') ? 1 : 250),
    native: { predict: path },
    request: ({ model, inputs, dimensions, use }) => ({
      method: 'POST',
      url: path(model),
      body: {
        json: {
          instances: inputs.map((content) => ({ content, ...(use && { task_type: TASK_TYPES[use] }) })),
          parameters: { autoTruncate: false, ...(dimensions !== undefined && { outputDimensionality: dimensions }) },
        },
      },
    }),
    response({ body }, { inputs }) {
      const all = Predicted.parse(body).predictions.map(({ embeddings }) => embeddings)
      if (all.length !== inputs.length)
        throw new HeadgateError('upstream', `:predict answered with ${all.length} vectors for ${inputs.length} inputs.`)
      const counts = all.map(({ statistics }) => statistics?.token_count)
      const input = counts.every((count) => count !== undefined)
        ? counts.reduce((sum, count) => sum + count, 0)
        : undefined
      return { vectors: all.map(({ values }) => values), ...(input !== undefined && { usage: { input, output: 0 } }) }
    },
  }
}
