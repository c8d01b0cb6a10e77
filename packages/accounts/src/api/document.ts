import { z } from '@hono/zod-openapi'
import { Problem } from './problem.ts'
import type { ApiRoute } from './route.ts'

/** How requests say who asks. */
export const SECURITY = {
  session: { type: 'apiKey', in: 'cookie' },
  bearer: { type: 'http', scheme: 'bearer' },
} as const

/** What a server says before it knows the path. */
const Unread = z.object({ error: z.looseObject({ message: z.string() }) }).openapi('Unread')
const UNREAD = {
  description: 'The request line and the headers are too large.',
  content: { 'application/json': { schema: Unread } },
}
const ERROR = { 'application/problem+json': { schema: Problem } }
/** Rows of text are text; events, and what a model path answers, are not for this document to say. */
const streamOf = (type: string): z.ZodType => (type.startsWith('text/csv') ? z.string() : z.unknown())

const IF_MATCH = z
  .string()
  .optional()
  .openapi({ description: 'The version that is changed, in quotes: another one is a 412.' })
const IDEMPOTENCY_KEY = z
  .string()
  .optional()
  .openapi({ description: 'Has the request be answered once within 24 hours.' })

/** A route as the OpenAPI document has it. */
export function documented(route: ApiRoute) {
  const { method, path, id, summary, by, action, params, query, body, answer, streams, status, isVersioned } = route
  const isWrite = method !== 'get' && action !== undefined
  const headers = {
    ...(isVersioned && method !== 'get' && { 'if-match': IF_MATCH }),
    ...(isWrite && { 'idempotency-key': IDEMPOTENCY_KEY }),
  }
  const content = streams
    ? Object.fromEntries(streams.map((type) => [type, { schema: streamOf(type) }]))
    : answer && { 'application/json': { schema: answer } }
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
    ...(action !== undefined && { description: `Needs \`${action}\`.` }),
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
      default: { description: 'What went wrong.', content: ERROR },
    },
  }
}
