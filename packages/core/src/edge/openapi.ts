import { z } from 'zod'
import type { Json } from '../canonical/json.ts'
import { FAILURES } from '../errors.ts'
import { formats } from '../formats/index.ts'
import { PARAMETERS } from '../contract/search.ts'
import { type Door, PATHS, type Path, routeOf, SEARCH } from './router.ts'

/** What stands in the document beside what the door of a path says: name of the operation, and what it does. */
const OPERATIONS: Readonly<Record<Path, readonly [id: string, summary: string]>> = {
  '/v1/chat/completions': ['chat-completions', 'Answers a conversation in the chat completions format.'],
  '/v1/messages': ['messages', 'Answers a conversation in the messages format.'],
  '/v1/messages/count_tokens': ['count-tokens-of-messages', 'Counts the input tokens of a request in the messages format.'],
  '/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:generateContent': [
    'generate-content-of-project',
    'Answers a conversation in the generateContent format. Project, location and publisher do not route.',
  ],
  '/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:streamGenerateContent': [
    'stream-generate-content-of-project',
    'Answers a conversation in the generateContent format with a stream. Project, location and publisher do not route.',
  ],
  '/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:countTokens': [
    'count-tokens-of-project',
    'Counts the input tokens of a request in the generateContent format. Project, location and publisher do not route.',
  ],
  '/v1beta/models/{model}:generateContent': ['generate-content', 'Answers a conversation in the generateContent format.'],
  '/v1beta/models/{model}:streamGenerateContent': [
    'stream-generate-content',
    'Answers a conversation in the generateContent format with a stream.',
  ],
  '/v1beta/models/{model}:countTokens': ['count-tokens', 'Counts the input tokens of a request in the generateContent format.'],
  '/v1/models': [
    'list-models',
    'Lists the models that can be called now; in the messages shape with `anthropic-version`, in the generateContent shape with `x-goog-api-key`.',
  ],
  '/v1/models/{id}': ['get-model', 'One model, in the shapes of the list.'],
  '/v1beta/models': ['list-models-of-generate-content', 'Lists the models that can be called now, in the generateContent shape.'],
  '/v1beta/models/{id}': ['get-model-of-generate-content', 'One model, in the generateContent shape.'],
  '/customsearch/v1': ['search', 'Searches, in the shape of the Custom Search JSON API.'],
  '/openapi.json': ['openapi', 'This document.'],
}

const HEADERS = [
  { name: 'vendor', description: 'Name of the provider that must serve the request; absent or `auto` routes.' },
  { name: 'headgate-strict', description: '`true`: a loss in translation is a 400 that names it; `all`: hints count as well.' },
  { name: 'headgate-timeout-ms', description: 'Lowers the time that the whole request may take, in milliseconds.' },
].map((header) => ({ ...header, in: 'header', required: false, schema: { type: 'string' } }))
const [VENDOR] = HEADERS

const ALT = {
  name: 'alt',
  in: 'query',
  required: false,
  description: '`sse`: a stream of server-sent events; absent: a JSON array.',
  schema: { type: 'string', enum: ['sse', 'json'] },
}

const REQUEST_ID = { 'x-request-id': { description: 'Id of the request, also in its usage row.', schema: { type: 'string' } } }
const SERVED_BY = { 'headgate-vendor': { description: 'Who served.', schema: { type: 'string' } } }
const LOST = {
  'headgate-lost': {
    description: 'Paths of the request (and `response.…` of the answer) that the translation dropped, or changed (`;changed`).',
    schema: { type: 'string' },
  },
}
const ESTIMATED = {
  'headgate-estimated': {
    description: '`true` where the provider does not count, so that the number is an estimate.',
    schema: { type: 'string', enum: ['true'] },
  },
}

const OBJECT = { schema: { type: 'object' } }
const EVENTS = { 'text/event-stream': { schema: { type: 'string' } } }

function errorAnswers(): Json {
  const statuses = [...new Set(Object.values(FAILURES).map(({ status }) => status))].filter((status) => status !== 499 && status !== 409)
  const content = { 'application/json': { schema: { type: 'object', description: 'An error in the shape of the path’s format.' } } }
  return Object.fromEntries(
    statuses.map((status) => [String(status), { description: `An error; status ${status}.`, headers: REQUEST_ID, content }]),
  )
}

function requestBody(format: string): Json {
  return { required: true, content: { 'application/json': { schema: { $ref: `#/components/schemas/${format}` } } } }
}

/** Formats whose body says whether to stream answer both ways; otherwise the path says it. */
function chatOperation({ format, stream }: Extract<Door, { kind: 'chat' }>): Json {
  const array = { 'application/json': { schema: { type: 'array', items: { type: 'object' } } } }
  const content =
    stream === undefined ? { 'application/json': OBJECT, ...EVENTS } : stream ? { ...EVENTS, ...array } : { 'application/json': OBJECT }
  return {
    parameters: [...HEADERS, ...(stream ? [ALT] : [])],
    requestBody: requestBody(format),
    responses: { '200': { description: 'The answer.', headers: { ...REQUEST_ID, ...SERVED_BY, ...LOST }, content } },
  }
}

function countOperation({ format }: Extract<Door, { kind: 'count-tokens' }>): Json {
  const headers = { ...REQUEST_ID, ...SERVED_BY, ...ESTIMATED }
  return {
    parameters: [VENDOR],
    requestBody: requestBody(format),
    responses: { '200': { description: 'The number of tokens.', headers, content: { 'application/json': OBJECT } } },
  }
}

const SEARCH_NUMBERS: Readonly<Record<string, Json>> = {
  num: { type: 'integer', minimum: 1, maximum: 10, default: 10 },
  start: { type: 'integer', minimum: 1, maximum: 100, default: 1 },
}

function searchOperation(): Json {
  const inQuery = ['q', 'cx', 'num', 'start', 'siteSearchFilter', ...PARAMETERS].map((name) => ({
    name,
    in: 'query',
    required: name === 'q',
    schema: SEARCH_NUMBERS[name] ?? { type: 'string' },
  }))
  const cached = {
    'headgate-cached': { description: '`true` where the answer was given before.', schema: { type: 'string', enum: ['true'] } },
  }
  return {
    parameters: [...HEADERS, ...inQuery],
    responses: {
      '200': {
        description: 'What was found.',
        headers: { ...REQUEST_ID, ...SERVED_BY, ...LOST, ...cached },
        content: { 'application/json': OBJECT },
      },
    },
  }
}

function plainOperation(description: string): Json {
  return { parameters: [], responses: { '200': { description, headers: REQUEST_ID, content: { 'application/json': OBJECT } } } }
}

function operationOf(door: Door): Json {
  switch (door.kind) {
    case 'chat':
      return chatOperation(door)
    case 'count-tokens':
      return countOperation(door)
    case 'search':
      return searchOperation()
    case 'models':
      return plainOperation('What can be called now, with its providers.')
    case 'openapi':
      return plainOperation('OpenAPI 3.1.')
  }
}

function pathItem(path: Path): Json {
  const [operationId, summary] = OPERATIONS[path]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const methods = Object.entries(routeOf(path, '')?.methods ?? {})
  return Object.fromEntries(
    methods.flatMap(([method, door]) => {
      if (!door) return []
      const { parameters, responses, ...rest } = operationOf(door)
      const operation = {
        operationId,
        summary,
        ...rest,
        parameters: [...inPath, ...(Array.isArray(parameters) ? parameters : [])],
        responses: { ...Object(responses), ...errorAnswers() },
      }
      return [[method.toLowerCase(), operation]]
    }),
  )
}

/** The bodies of requests: each format's own schema, its definitions beside it so that references hold within the document. */
function schemas(): Json {
  return Object.fromEntries(
    [...formats].flatMap(([id, { requestSchema }]) => {
      const { $schema, ...schema } = z.toJSONSchema(requestSchema, { io: 'input', unrepresentable: 'any' })
      const source = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${id}.`)
      const { $defs = {}, ...body } = JSON.parse(source) as Json
      return [[id, body], ...Object.entries(Object($defs)).map(([name, one]) => [`${id}.${name}`, one])]
    }),
  )
}

/** OpenAPI 3.1 of the API: every path that has a door (that of search where there is `search`); the request bodies come from the formats' own schemas. */
export function openapiDocument(basePath: string, search = true): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Headgate',
      version: '1',
      description:
        'One gateway in front of every model. Ids of models may contain slashes and colons. Paths of generateContent are answered under `v1`, `v1beta` and `v1beta1` alike.',
    },
    servers: [{ url: basePath || '/' }],
    security: [{ bearer: [] }, { 'x-api-key': [] }, { 'x-goog-api-key': [] }],
    paths: Object.fromEntries(PATHS.filter((path) => search || routeOf(path, '') !== SEARCH).map((path) => [path, pathItem(path)])),
    components: {
      schemas: schemas(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
        'x-goog-api-key': { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
      },
    },
  }
}
