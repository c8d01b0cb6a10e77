import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createGateway } from '../../src/gateway.ts'

/** A JSON Schema: 3.1 takes any. */
const Schema = z.looseObject({})
const Content = z.record(z.string().regex(/^[a-z]+\/[a-z-]+$/), z.strictObject({ schema: Schema }))

const Parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean(),
  description: z.string().optional(),
  schema: Schema,
})

const Response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), z.strictObject({ description: z.string(), schema: Schema })).optional(),
  content: Content.optional(),
})

const Operation = z.strictObject({
  operationId: z.string().min(1),
  summary: z.string().min(1),
  parameters: z.array(Parameter),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), Response),
})

/**
 * What a document of ours is made of; a member that is not named here is none of OpenAPI's, or none that we use.
 *
 * @see https://spec.openapis.org/oas/v3.1.0
 */
const Document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string().min(1), version: z.string().min(1), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string().min(1) })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']), Operation),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[\w.-]+$/), Schema),
    securitySchemes: z.record(
      z.string(),
      z.union([
        z.strictObject({ type: z.literal('http'), scheme: z.string() }),
        z.strictObject({ type: z.literal('apiKey'), in: z.enum(['query', 'header', 'cookie']), name: z.string() }),
      ]),
    ),
  }),
})

const gateway = createGateway({ providers: [], search: { backends: [] } })
const source = JSON.stringify(gateway.openapi())
const document = Document.parse(JSON.parse(source))
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

/** What a reference within the document leads to. */
function resolve(reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>(
    (node, step) => Object(node)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    JSON.parse(source),
  )
}

describe('The OpenAPI document', () => {
  it('lists every path of the surface, with its method', () => {
    expect(operations.map(({ path, method }) => `${method} ${path}`).sort()).toEqual([
      'DELETE /v1/responses/{id}',
      'GET /customsearch/v1',
      'GET /openapi.json',
      'GET /v1/key',
      'GET /v1/models',
      'GET /v1/models/{id}',
      'GET /v1/responses/{id}',
      'GET /v1/responses/{id}/input_items',
      'GET /v1beta/models',
      'GET /v1beta/models/{id}',
      'POST /openai/deployments/{model}/chat/completions',
      'POST /openai/deployments/{model}/completions',
      'POST /openai/deployments/{model}/embeddings',
      'POST /v1/audio/speech',
      'POST /v1/audio/transcriptions',
      'POST /v1/audio/translations',
      'POST /v1/chat/completions',
      'POST /v1/completions',
      'POST /v1/embeddings',
      'POST /v1/images',
      'POST /v1/images/edits',
      'POST /v1/images/generations',
      'POST /v1/images/variations',
      'POST /v1/messages',
      'POST /v1/messages/count_tokens',
      'POST /v1/moderations',
      'POST /v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:countTokens',
      'POST /v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:embedContent',
      'POST /v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:generateContent',
      'POST /v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:predict',
      'POST /v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:streamGenerateContent',
      'POST /v1/rerank',
      'POST /v1/responses',
      'POST /v1/responses/input_tokens',
      'POST /v1/responses/{id}/cancel',
      'POST /v1beta/models/{model}:batchEmbedContents',
      'POST /v1beta/models/{model}:countTokens',
      'POST /v1beta/models/{model}:embedContent',
      'POST /v1beta/models/{model}:generateContent',
      'POST /v1beta/models/{model}:streamGenerateContent',
      'POST /v2/rerank',
    ])
  })

  it.each(operations)('answers where it says so: $method $path', async ({ path, method }) => {
    const filled = path.replaceAll(/\{\w+\}/g, 'one')
    const answer = async (asked: string) =>
      (await gateway.fetch(new Request(`http://127.0.0.1${filled}`, { method: asked }))).status
    expect(await answer(method)).toBe(401)
    expect(await answer('PATCH')).toBe(405)
  })

  it.each(operations)('declares what stands in $path, once', ({ path, operation: { parameters } }) => {
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    expect(inPath.every(({ required }) => required)).toBe(true)
    expect(new Set(parameters.map(({ name, in: place }) => `${place} ${name}`)).size).toBe(parameters.length)
  })

  it('names every operation by itself, and says what it answers and how it fails', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    for (const { operation } of operations) {
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(['200', '400', '401', '404', '405', '413', '429', '500']),
      )
    }
  })

  it('says what can conflict: a change of something that may not be in its state, and requests with idempotency keys', () => {
    const ids = (given: typeof operations) => given.map(({ operation }) => operation.operationId).sort()
    const keyed = operations.filter(({ operation }) =>
      operation.parameters.some(({ name }) => name === 'idempotency-key'),
    )
    expect(ids(keyed)).toEqual(
      expect.arrayContaining(['chat-completions', 'embeddings', 'messages', 'rerank', 'responses']),
    )
    expect(ids(operations.filter(({ operation }) => '409' in operation.responses))).toEqual(
      [...ids(keyed), 'cancel-response'].sort(),
    )
  })

  it('has no reference that leads nowhere', () => {
    const references = [...source.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference)
    expect(new Set(references)).toContain('#/components/schemas/generate-content')
    for (const reference of references) expect(resolve(reference), reference).toBeTypeOf('object')
    for (const name of document.security.flatMap((one) => Object.keys(one)))
      expect(document.components.securitySchemes).toHaveProperty(name)
  })

  it('has a schema of the request body for every path that takes one', () => {
    for (const { method, operation } of operations) {
      const { content = {} } = operation.requestBody ?? {}
      const { schema } = content['application/json'] ?? content['multipart/form-data'] ?? {}
      expect(schema === undefined ? undefined : resolve(String(schema['$ref']))).toEqual(
        method === 'POST' && !operation.operationId.startsWith('cancel')
          ? expect.objectContaining({ type: 'object', properties: expect.any(Object) })
          : undefined,
      )
    }
  })

  it('says where it is served', () => {
    expect(createGateway({ providers: [], basePath: '/ai' }).openapi()).toMatchObject({ servers: [{ url: '/ai' }] })
  })
})
