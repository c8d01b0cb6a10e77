import type { Json } from '@headgate/core/canonical'

/** OpenAPI description of a route, without its path. */
export interface RouteOperation {
  readonly id: string
  readonly summary: string
  readonly parameters?: readonly Json[]
  readonly requestBody?: Json
  /** Successful responses, by status. */
  readonly responses: Readonly<Record<string, Json>>
  /** True if the route can fail with 409, because of its target's state or its idempotency key. */
  readonly conflicts?: boolean
}

export const VENDOR = headerParameter(
  'vendor',
  'Name of the provider that must serve the request. Absent or `auto`: the gateway selects one.',
)
export const STRICT = headerParameter(
  'headgate-strict',
  '`true`: the request fails with a 400 that names the loss if its translation loses anything. `all`: hints count as well.',
)
/** Headers of all requests to models or search backends. */
export const HEADERS: readonly Json[] = [
  VENDOR,
  STRICT,
  headerParameter(
    'headgate-timeout-ms',
    'Maximum duration of the whole request in milliseconds. It can only lower the configured limit.',
  ),
  headerParameter(
    'headgate-class',
    'Class of the request if requests must wait or are refused: `interactive`, `normal` or `batch`. It can only lower the class of the key.',
  ),
  headerParameter(
    'headgate-tags',
    'Tags by which usage can be summed up in addition to the key: `team=a,job=nightly`. At most 8 tags. A name has 1 to 32 characters of `a-z 0-9 _ . -`; a value has 1 to 64 visible characters, with commas and non-ASCII characters percent-encoded.',
  ),
  headerParameter(
    'headgate-dry-run',
    '`true`: no provider is called. The response has the schema `dry-run`: the candidates, the losses with each, and the worst-case cost.',
  ),
]

/** Header of requests that are executed once. */
export const IDEMPOTENCY_KEY = headerParameter(
  'idempotency-key',
  '1 to 255 visible ASCII characters. A repetition with the same key and body gets the response of the first request, with the header `idempotency-replayed: true`, and costs nothing. A 409 if the key was used for another request.',
)

function headerParameter(name: string, description: string): Json {
  return { name, description, in: 'header', required: false, schema: { type: 'string' } }
}

export const REQUEST_ID = {
  'x-request-id': { description: 'Id of the request, also in its usage row.', schema: { type: 'string' } },
}
export const SERVED_BY = {
  'headgate-vendor': { description: 'Provider that served the request.', schema: { type: 'string' } },
}
export const LOST = {
  'headgate-lost': {
    description:
      'Paths of the request (and `response.…` for the response) that the translation dropped, or changed (`;changed`).',
    schema: { type: 'string' },
  },
}

export const COST = {
  'headgate-cost': {
    description: 'Cost of the response to the caller in US dollars; absent on streams and if the cost is unknown.',
    schema: { type: 'string' },
  },
}

export const OBJECT = { schema: { type: 'object' } }

/** Request body with the schema of that name. */
export function bodyOf(schema: string): Json {
  return { required: true, content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } }
}

/** Response with the schema of that name. */
export function responseOf(schema: string, description: string): RouteOperation['responses'] {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
  return { '200': { description, headers: REQUEST_ID, content } }
}

/** Response with an object of any shape. */
export function objectResponse(description: string, headers: Json = REQUEST_ID): RouteOperation['responses'] {
  return { '200': { description, headers, content: { 'application/json': OBJECT } } }
}
