import { z } from 'zod'
import type { Json } from '../chat/json.ts'
import { FAILURES } from '../errors.ts'
import { formats } from '../formats/index.ts'

/** The parts of the document that differ between the paths of the chat family. */
const CHAT_PATHS: readonly { path: string; format: string; summary: string }[] = [
  { path: '/v1/chat/completions', format: 'chat-completions', summary: 'Answers a conversation in the chat completions format.' },
  { path: '/v1/messages', format: 'messages', summary: 'Answers a conversation in the messages format.' },
]

const HEADERS = [
  { name: 'vendor', description: 'Name of the provider that must serve the request; absent or `auto` routes.' },
  { name: 'headgate-strict', description: '`true`: a loss in translation is a 400 that names it; `all`: hints count as well.' },
  { name: 'headgate-timeout-ms', description: 'Lowers the time that the whole request may take, in milliseconds.' },
].map((header) => ({ ...header, in: 'header', required: false, schema: { type: 'string' } }))

const ANSWER_HEADERS = {
  'x-request-id': { description: 'Id of the request, also in its usage row.', schema: { type: 'string' } },
  'headgate-vendor': { description: 'Who served.', schema: { type: 'string' } },
  'headgate-lost': {
    description: 'Paths of the request (and `response.…` of the answer) that the translation dropped, or changed (`;changed`).',
    schema: { type: 'string' },
  },
}

function errorAnswers(): Json {
  const statuses = [...new Set(Object.values(FAILURES).map(({ status }) => status))].filter((status) => status !== 499 && status !== 409)
  const content = { 'application/json': { schema: { type: 'object', description: 'An error in the shape of the path’s format.' } } }
  return Object.fromEntries(statuses.map((status) => [String(status), { description: `An error; status ${status}.`, content }]))
}

function chatOperation(format: string, summary: string): Json {
  const schema = formats.get(format)?.requestSchema ?? z.looseObject({})
  return {
    summary,
    operationId: format,
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) } },
    },
    responses: {
      '200': {
        description: 'The answer, whole or as a stream of server-sent events.',
        headers: ANSWER_HEADERS,
        content: { 'application/json': { schema: { type: 'object' } }, 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...errorAnswers(),
    },
  }
}

function modelsOperation(summary: string, operationId: string, parameters: Json[]): Json {
  return {
    summary,
    operationId,
    parameters,
    responses: {
      '200': {
        description: 'In the messages shape when `anthropic-version` is sent.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      ...errorAnswers(),
    },
  }
}

/** OpenAPI 3.1 of the API; the request bodies come from the formats' own schemas. */
export function openapiDocument(basePath: string): Json {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const paths: Json = {
    ...Object.fromEntries(CHAT_PATHS.map(({ path, format, summary }) => [path, { post: chatOperation(format, summary) }])),
    '/v1/models': { get: modelsOperation('Lists the models that can be called now.', 'list-models', []) },
    '/v1/models/{id}': { get: modelsOperation('One model.', 'get-model', [id]) },
    '/openapi.json': { get: { summary: 'This document.', operationId: 'openapi', responses: { '200': { description: 'OpenAPI 3.1.' } } } },
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Headgate', version: '1', description: 'One gateway in front of every model.' },
    servers: [{ url: basePath || '/' }],
    security: [{ bearer: [] }, { 'x-api-key': [] }, { 'x-goog-api-key': [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
        'x-goog-api-key': { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
      },
    },
  }
}
