import { z } from '@hono/zod-openapi'
import { Problem } from './problem.ts'
import type { ApiRoute } from './route.ts'

/** Authentication methods for the OpenAPI document. */
export const SECURITY = {
  session: { type: 'apiKey', in: 'cookie' },
  bearer: { type: 'http', scheme: 'bearer' },
} as const

/** Error sent before the path is known. */
const Unread = z.object({ error: z.looseObject({ message: z.string() }) }).openapi('Unread')
const UNREAD = {
  description: 'The request line and the headers are too large.',
  content: { 'application/json': { schema: Unread } },
}
const ERROR = { 'application/problem+json': { schema: Problem } }
/** Schema of a streamed response. Events and model responses are not described. */
const streamOf = (type: string): z.ZodType => (type.startsWith('text/csv') ? z.string() : z.unknown())

const IF_MATCH = z
  .string()
  .optional()
  .openapi({ description: 'Version to change, in quotes. Any other version results in a 412.' })
const IDEMPOTENCY_KEY = z
  .string()
  .optional()
  .openapi({ description: 'Executes the request at most once within 24 hours.' })

/** Description of a route for the OpenAPI document. */
export function documented(route: ApiRoute) {
  const { method, path, id, summary, by, action, params, query, body, answer, streams, status, isVersioned } = route
  const isWrite = method !== 'get' && action !== undefined
  const headers = {
    ...(isVersioned && method !== 'get' && { 'if-match': IF_MATCH }),
    ...(isWrite && { 'idempotency-key': IDEMPOTENCY_KEY }),
  }
  const content = (streams || answer) && {
    ...(answer && { 'application/json': { schema: answer } }),
    ...(streams && Object.fromEntries(streams.map((type) => [type, { schema: streamOf(type) }]))),
  }
  const code = status ?? (content ? 200 : 204)
  const security = [
    ...(by.includes('session') ? [{ session: [] }] : []),
    ...(by.some((one) => one.endsWith('key')) ? [{ bearer: [] }] : []),
  ]
  return {
    method,
    path,
    operationId: id,
    summary,
    tags: [path.split('/')[1] ?? ''],
    ...(action !== undefined && { description: `Requires the permission \`${action}\`.` }),
    security: by.includes('nothing') ? [{}, ...security] : security,
    request: {
      params,
      query,
      ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      [code]: { description: summary, ...(content && { content }) },
      431: UNREAD,
      default: { description: 'Error.', content: ERROR },
    },
  }
}
