import { chatCompletions } from '@headgate/core/formats'
import {
  bodyOf,
  COST,
  HEADERS,
  IDEMPOTENCY_KEY,
  LOST,
  objectResponse,
  REQUEST_ID,
  type RouteOperation,
  SERVED_BY,
} from '../../edge/operation.ts'
import type { Family } from '../../serve/family.ts'
import { readRequestBody } from '../../serve/request-body.ts'
import { boundOfRerank } from './bound.ts'
import { serveRerank } from './serve.ts'
import { rerankRequestSchema } from './wire.ts'

/** The second path is for Cohere's clients. */
const PATHS = { '/v1/rerank': 'rerank', '/v2/rerank': 'rerank-of-cohere' } as const

function operation(id: string): RouteOperation {
  return {
    id,
    summary: 'Ranks documents by relevance to a query.',
    parameters: [...HEADERS, IDEMPOTENCY_KEY],
    conflicts: true,
    requestBody: bodyOf('rerank'),
    responses: objectResponse('The ranking: indexes of the most relevant documents, best first.', {
      ...REQUEST_ID,
      ...SERVED_BY,
      ...LOST,
      ...COST,
    }),
  }
}

/** Ranking of documents by relevance, at any provider that supports it. */
export const rerank: Family = {
  id: 'rerank',
  kind: 'provider',
  schemas: { rerank: rerankRequestSchema },
  errors: (path) => (Object.hasOwn(PATHS, path) ? chatCompletions : undefined),
  has: ({ rerank }) => rerank !== undefined,
  bound: boundOfRerank,
  open: (core) => ({
    routes: Object.entries(PATHS).map(([path, id]) => ({
      method: 'POST',
      path,
      operation: operation(id),
      canDryRun: true,
      isIdempotent: true,
      async serve(context) {
        await serveRerank(core, context, await readRequestBody(core, context))
      },
    })),
  }),
}
