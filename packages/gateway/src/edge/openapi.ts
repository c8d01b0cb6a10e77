import type { Json } from '@headgate/core/canonical'
import { FAILURES } from '@headgate/core/errors'
import { z } from 'zod'
import type { OpenApiExtension } from '../ports/gateway-options.ts'
import { REQUEST_ID } from './operation.ts'
import type { Route } from './router.ts'

function errorResponses(conflicts: boolean): Json {
  const all = new Set(Object.values(FAILURES).map(({ status }) => status))
  const statuses = [...all].filter((status) => status !== 499 && (status !== 409 || conflicts))
  const content = {
    'application/json': { schema: { type: 'object', description: 'Error in the format of the path.' } },
  }
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      { description: `Error with status ${status}.`, headers: REQUEST_ID, content },
    ]),
  )
}

function operationOf({ path, operation }: Route): Json {
  const { id, summary, parameters = [], requestBody, responses, conflicts = false } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    operationId: id,
    summary,
    ...(requestBody && { requestBody }),
    parameters: [...inPath, ...parameters],
    responses: { ...responses, ...errorResponses(conflicts) },
  }
}

function pathItems(routes: readonly Route[]): Json {
  const items: Record<string, Json> = {}
  for (const route of routes)
    items[route.path] = { ...items[route.path], [route.method.toLowerCase()]: operationOf(route) }
  return items
}

/**
 * Schemas of request bodies. Their definitions become separate components, so that references resolve within the
 * document.
 */
function components(schemas: Readonly<Record<string, z.ZodType>>): Json {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([id, requestSchema]) => {
      const { $schema, ...schema } = z.toJSONSchema(requestSchema, { io: 'input', unrepresentable: 'any' })
      const source = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${id}.`)
      const { $defs = {}, ...body } = JSON.parse(source) as Json
      return [[id, body], ...Object.entries(Object($defs)).map(([name, one]) => [`${id}.${name}`, one])]
    }),
  )
}

/** OpenAPI 3.1 document of routes. Schemas of request bodies are the families' own. */
export function openapiDocument(
  basePath: string,
  routes: readonly Route[],
  schemas: Readonly<Record<string, z.ZodType>>,
): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Headgate',
      version: '1',
      description:
        'One gateway in front of every model. Ids of models may contain slashes and colons. Paths of generateContent work below `v1`, `v1beta` and `v1beta1`. Paths of models below `/v1` also work without the version (`/chat/completions`), and below `/openai`, `/openai/v1`, `/v1beta/openai` and `/api/v3`.',
    },
    servers: [{ url: basePath || '/' }],
    security: [{ bearer: [] }, { 'x-api-key': [] }, { 'x-goog-api-key': [] }, { 'api-key': [] }],
    paths: pathItems(routes),
    components: {
      schemas: components(schemas),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
        'x-goog-api-key': { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
        'api-key': { type: 'apiKey', in: 'header', name: 'api-key' },
      },
    },
  }
}

/** Document with an additional part. If both define a name, the document wins. */
export function withPart(document: Json, { paths, components: added }: OpenApiExtension): Json {
  const own = Object(document['components'])
  const kinds = new Set([...Object.keys(own), ...Object.keys(added)])
  const merged = [...kinds].map((kind) => [kind, { ...Object(added[kind]), ...Object(own[kind]) }])
  return { ...document, paths: { ...paths, ...Object(document['paths']) }, components: Object.fromEntries(merged) }
}
