import type { Format } from '@headgate/core/canonical'
import { chatCompletions, generateContent, messages } from '@headgate/core/formats'
import { sendJson } from '../../edge/error-response.ts'
import { isList, listOf, verbOf } from '../../edge/model-path.ts'
import { objectResponse } from '../../edge/operation.ts'
import type { PathParameters, Route } from '../../edge/router.ts'
import { headerOf, type Incoming } from '../../edge/sink.ts'
import type { Principal } from '../../ports/ledger.ts'
import type { Core } from '../../serve/core.ts'
import type { Family } from '../../serve/family.ts'
import { instancesFor, mayUse, modelsOf } from '../../serve/permission.ts'
import { type Catalog, type ListedModel, listModels, modelNamed } from './list.ts'
import { modelListResponse, modelResponse } from './responses.ts'

/** Headers that identify SDKs of other formats on the path `/v1/models`. */
const CLIENTS: Readonly<Record<string, Format>> = {
  'anthropic-version': messages,
  'x-goog-api-client': generateContent,
  'x-goog-api-key': generateContent,
}

/** Format of a model list for the caller's SDK. */
function formatOfList(path: string, incoming: Pick<Incoming, 'headers'>): Format {
  if (path.startsWith('/v1beta') || path.includes('/publishers/') || path.includes('/projects/')) return generateContent
  const client = Object.keys(CLIENTS).find((name) => headerOf(incoming, name) !== undefined)
  return (client && CLIENTS[client]) || chatCompletions
}

/** Parameters of a model path. A model id can end like a verb, but only a POST with a verb is a call. */
function match(path: string, method: string): PathParameters | undefined {
  return method === 'POST' && verbOf(path) !== undefined ? undefined : listOf(path)
}

function route(path: string, id: string, summary: string): Route {
  const operation = { id, summary, responses: objectResponse('The available models with their providers.') }
  return { method: 'GET', path, match, operation }
}

/** All routes of the models family. */
export const MODEL_ROUTES: readonly Route[] = [
  route(
    '/v1/models',
    'list-models',
    'Lists the available models: in the messages shape with `anthropic-version`, in the generateContent shape with `x-goog-api-key`.',
  ),
  route('/v1/models/{id}', 'get-model', 'Returns one model, in the same shapes as the list.'),
  route(
    '/v1beta/models',
    'list-models-of-generate-content',
    'Lists the available models, in the generateContent shape.',
  ),
  route('/v1beta/models/{id}', 'get-model-of-generate-content', 'Returns one model, in the generateContent shape.'),
]

/** Catalog for a caller: instances, families and prices that its key can use. */
function catalogFor({ instances, aliases, served, priceOf }: Core, principal: Principal): Catalog {
  const { families } = principal
  return {
    instances: instancesFor(principal, instances),
    aliases,
    priceOf,
    served: families ? (id) => served(id, families) : served,
  }
}

/** A model by id, as the caller can use it. A miss refreshes the lists, since the model may be new. */
async function oneModel(core: Core, principal: Principal, id: string): Promise<ListedModel | undefined> {
  if (!mayUse(modelsOf(principal), id)) return undefined
  const catalog = catalogFor(core, principal)
  const found = modelNamed(catalog, id)
  if (found) return found
  await core.lists.onMiss()
  return modelNamed(catalog, id)
}

/** Lists of the models that a caller can use. */
export const models: Family = {
  id: 'models',
  kind: 'gateway',
  errors: (path, incoming) => (isList(path) ? formatOfList(path, incoming) : undefined),
  open: (core) => ({
    routes: MODEL_ROUTES.map((one) => ({
      ...one,
      async serve(context, { parameters, path }) {
        const { incoming, principal, sink } = context
        const format = formatOfList(path, incoming)
        const id = parameters['id']
        const answer =
          id === undefined
            ? modelListResponse(listModels(catalogFor(core, principal), modelsOf(principal)), format)
            : modelResponse(await oneModel(core, principal, id), id, format)
        sendJson(sink, answer, context.id)
      },
    })),
  }),
}
