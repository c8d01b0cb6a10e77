import type { Json } from '@headgate/core/canonical'

/** What the OpenAPI document says of a route, beside its path. */
export interface Operation {
  readonly id: string
  readonly summary: string
  readonly parameters?: readonly Json[]
  readonly requestBody?: Json
  /** The answers that are no errors, by status. */
  readonly responses: Readonly<Record<string, Json>>
  /** Whether 409 is among its errors: it changes what may not be in a state for that. */
  readonly conflicts?: boolean
}

export const VENDOR = headerParameter(
  'vendor',
  'Name of the provider that must serve the request; absent or `auto` routes.',
)
export const STRICT = headerParameter(
  'headgate-strict',
  '`true`: a loss in translation is a 400 that names it; `all`: hints count as well.',
)
/** Headers of every request that is put to an upstream. */
export const HEADERS: readonly Json[] = [
  VENDOR,
  STRICT,
  headerParameter('headgate-timeout-ms', 'Lowers the time that the whole request may take, in milliseconds.'),
  headerParameter(
    'headgate-tags',
    'By what usage is summed up beside its key: `team=a,job=nightly`. At most 8; names of `a-z 0-9 _ . -`, 32 characters at most; values of 1 to 64 visible characters, percent-encoded where they are not ASCII or hold a comma.',
  ),
  headerParameter(
    'headgate-dry-run',
    '`true`: nobody is asked; the answer has the schema `dry-run`: who would be, what each would lose, and what it can cost at most.',
  ),
]

function headerParameter(name: string, description: string): Json {
  return { name, description, in: 'header', required: false, schema: { type: 'string' } }
}

export const REQUEST_ID = {
  'x-request-id': { description: 'Id of the request, also in its usage row.', schema: { type: 'string' } },
}
export const SERVED_BY = { 'headgate-vendor': { description: 'Who served.', schema: { type: 'string' } } }
export const LOST = {
  'headgate-lost': {
    description:
      'Paths of the request (and `response.…` of the answer) that the translation dropped, or changed (`;changed`).',
    schema: { type: 'string' },
  },
}

export const COST = {
  'headgate-cost': {
    description: 'What a whole answer counts for the caller, in US dollars; absent where nobody knows, and on streams.',
    schema: { type: 'string' },
  },
}

export const OBJECT = { schema: { type: 'object' } }

/** A body in the schema of that name. */
export function bodyOf(schema: string): Json {
  return { required: true, content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } }
}

/** An answer in the schema of that name. */
export function answerOf(schema: string, description: string): Operation['responses'] {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
  return { '200': { description, headers: REQUEST_ID, content } }
}

/** An answer of one JSON object. */
export function objectAnswer(description: string, headers: Json = REQUEST_ID): Operation['responses'] {
  return { '200': { description, headers, content: { 'application/json': OBJECT } } }
}
