import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import { type Asked, route } from '../route.ts'
import { Id } from '../schemas.ts'

/** What belongs to the browser, or to its way here: a gateway is told none of it. */
const OURS =
  /^(?:cookie|origin|referer|authorization|proxy-.*|x-api-key|x-goog-api-key|api-key|host|connection|keep-alive|transfer-encoding|upgrade|expect|te|trailer|forwarded|x-forwarded-.*|x-real-ip|last-event-id|idempotency-key|if-.*|range|user-agent|accept-.*|sec-.*|priority|dnt)$/
/** What is of this API in a query. */
const OWN = ['organization', 'project']
/** Whatever an answer holds, it is no page of ours. */
const NO_PAGE = "default-src 'none'; sandbox"

const Params = z.strictObject({ path: z.string().min(1).max(2_000).openapi({ example: 'v1/chat/completions' }) })
/** What else is there is the model path's. */
const Query = z.looseObject({
  project: Id.optional().openapi({
    description: 'Id of the project that asks; default the first of the organization.',
  }),
})
const COMMON = {
  path: '/playground/{path}',
  by: ['session'],
  action: 'playground.use',
  passes: true,
  params: Params,
  query: Query,
} as const

async function pass(asked: Asked<z.output<typeof Params>, z.output<typeof Query>>): Promise<{ response: Response }> {
  const { parts, caller, organization, params, query, request } = asked
  if (!parts.gateway) throw new HeadgateError('not-found', 'Pages ask no models here.')
  const key = await parts.accounts.playgroundKey(caller, { organization, project: query.project })
  const url = new URL(request.url)
  for (const name of OWN) url.searchParams.delete(name)
  url.pathname = `/${params.path}`
  const headers = new Headers([...request.headers].filter(([name]) => !OURS.test(name)))
  headers.set('authorization', `Bearer ${key}`)
  const { method, body, signal } = request
  const answer = await parts.gateway.fetch(
    new Request(url, { method, headers, signal, ...(body && { body, duplex: 'half' }) }),
  )
  const response = new Response(answer.body, answer)
  response.headers.set('content-security-policy', NO_PAGE)
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    response.headers.set('x-accel-buffering', 'no')
  return { response }
}

export const PLAYGROUND_ROUTES = [
  route({
    ...COMMON,
    method: 'get',
    id: 'askModelsToRead',
    summary:
      'Reads by a model path, as `POST` asks by one. It needs `Content-Type: application/json`, which no page of others sends.',
    streams: ['application/json'],
    handle: pass,
  }),
  route({
    ...COMMON,
    method: 'post',
    id: 'askModels',
    summary:
      'Asks by a model path, such as `v1/chat/completions`, by a key of one’s own that the gateway keeps: its budgets and limits hold. Request and answer are those of the path.',
    streams: ['application/json', 'text/event-stream'],
    handle: pass,
  }),
  route({
    ...COMMON,
    method: 'delete',
    id: 'askModelsToDelete',
    summary: 'Cancels or deletes by a model path, as a task of a video.',
    streams: ['application/json'],
    handle: pass,
  }),
]
