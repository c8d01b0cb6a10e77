import { chatCompletions, generateContent } from '@headgate/core/formats'
import { deploymentOf, modelOf, verbOf } from '../../edge/model-path.ts'
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
import type { Route } from '../../edge/router.ts'
import type { Family } from '../../serve/family.ts'
import { readRequestBody } from '../../serve/request-body.ts'
import { boundOfEmbeddings } from './bound.ts'
import type { EmbeddingsCodec } from './codec.ts'
import {
  batchEmbedContentsSchema,
  batchEmbedContentsWire,
  embedContentSchema,
  embedContentWire,
} from './gemini-wire.ts'
import { embeddingsRequestSchema, openaiWire } from './openai-wire.ts'
import { predictSchema, predictWire } from './predict-wire.ts'
import { serveEmbeddings } from './serve.ts'

interface EmbeddingsRoute extends Route {
  readonly wire: EmbeddingsCodec
}

const VERBS: ReadonlySet<string | undefined> = new Set(['embedContent', 'batchEmbedContents', 'predict'])
const GEMINI = '/v1beta/models/{model}'
const VERTEX = '/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}'

function operation(id: string, summary: string, schema: string): RouteOperation {
  const headers = { ...REQUEST_ID, ...SERVED_BY, ...LOST, ...COST }
  return {
    id,
    summary,
    parameters: [...HEADERS, IDEMPOTENCY_KEY],
    conflicts: true,
    requestBody: bodyOf(schema),
    responses: objectResponse('The embeddings.', headers),
  }
}

/** Route of a model's path. Its project, location and publisher do not affect routing. */
function verb(place: string, verb: string, wire: EmbeddingsCodec, described: RouteOperation): EmbeddingsRoute {
  return { method: 'POST', path: `${place}:${verb}`, match: (path) => modelOf(path, verb), wire, operation: described }
}

const ROUTES: readonly EmbeddingsRoute[] = [
  {
    method: 'POST',
    path: '/v1/embeddings',
    wire: openaiWire,
    operation: operation('embeddings', 'Creates embeddings.', 'embeddings'),
  },
  {
    method: 'POST',
    path: '/openai/deployments/{model}/embeddings',
    match: (path) => deploymentOf(path, '/embeddings'),
    wire: openaiWire,
    operation: operation(
      'embeddings-of-deployment',
      'Creates embeddings. The deployment in the path is the model.',
      'embeddings',
    ),
  },
  verb(GEMINI, 'embedContent', embedContentWire, operation('embed-content', 'Creates one embedding.', 'embed-content')),
  verb(
    GEMINI,
    'batchEmbedContents',
    batchEmbedContentsWire,
    operation(
      'batch-embed-contents',
      'Creates several embeddings, in the shape of the Gemini API.',
      'batch-embed-contents',
    ),
  ),
  verb(
    VERTEX,
    'embedContent',
    embedContentWire,
    operation(
      'embed-content-of-project',
      'Creates one embedding. Project, location and publisher do not affect routing.',
      'embed-content',
    ),
  ),
  verb(
    VERTEX,
    'predict',
    predictWire,
    operation(
      'predict',
      'Creates several embeddings, in the shape of Vertex AI. Project, location and publisher do not affect routing.',
      'predict',
    ),
  ),
]

/** Embeddings at any provider that supports them. */
export const embeddings: Family = {
  id: 'embeddings',
  kind: 'provider',
  schemas: {
    embeddings: embeddingsRequestSchema,
    'embed-content': embedContentSchema,
    'batch-embed-contents': batchEmbedContentsSchema,
    predict: predictSchema,
  },
  errors(path) {
    if (path.startsWith('/v1/embeddings')) return chatCompletions
    return VERBS.has(verbOf(path)) ? generateContent : undefined
  },
  has: ({ embeddings }) => embeddings !== undefined,
  bound: boundOfEmbeddings,
  open: (core) => ({
    routes: ROUTES.map((route) => ({
      ...route,
      canDryRun: true,
      isIdempotent: true,
      async serve(context, { parameters }) {
        await serveEmbeddings(core, context, await readRequestBody(core, context), route.wire, parameters['model'])
      },
    })),
  }),
}
