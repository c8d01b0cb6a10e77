import type { EmbeddingsFacts } from '@headgate/conformance'
import { z } from 'zod'

const USES = {
  'retrieval.query': 'query',
  'retrieval.passage': 'document',
  'text-matching': 'similarity',
  classification: 'classification',
  separation: 'clustering',
} as const

/** @see https://api.jina.ai/redoc */
const Asked = z.strictObject({
  model: z.string(),
  input: z.array(z.string()),
  task: z.enum(['retrieval.query', 'retrieval.passage', 'text-matching', 'classification', 'separation']).optional(),
  dimensions: z.int().optional(),
  embedding_type: z.enum(['float', 'base64']).optional(),
})

/** Jina AI, as its documentation describes it. */
export const embeddings: EmbeddingsFacts = {
  model: 'jina-embeddings-v3',
  path: '/v1/embeddings',
  read({ body }) {
    const { input, task, dimensions, embedding_type } = Asked.parse(body)
    return { inputs: input, dimensions, use: task && USES[task], encoding: embedding_type ?? 'float' }
  },
  write: ({ vectors, tokens, encoding }) => ({
    model: 'jina-embeddings-v3',
    object: 'list',
    usage: { total_tokens: tokens, prompt_tokens: tokens },
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? base64(vector) : vector,
    })),
  }),
  error: (_, message) => ({ detail: message }),
}

function base64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}
