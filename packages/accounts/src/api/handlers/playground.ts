import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import { type RouteRequest, route } from '../route.ts'
import { Id } from '../schemas.ts'

/** Headers of the browser and of proxies, which are not passed to the gateway. */
const OURS =
  /^(?:cookie|origin|referer|authorization|proxy-.*|x-api-key|x-goog-api-key|api-key|host|connection|keep-alive|transfer-encoding|upgrade|expect|te|trailer|forwarded|x-forwarded-.*|x-real-ip|last-event-id|idempotency-key|if-.*|range|user-agent|accept-.*|sec-.*|priority|dnt|x-requested-with)$/
/** Query parameters of this API, which are removed. */
const OWN = ['organization', 'project']
/** Policy that keeps a response from acting as a page of this origin. */
const NO_PAGE = "default-src 'none'; sandbox"

const Params = z.strictObject({ path: z.string().min(1).max(2_000).openapi({ example: 'v1/chat/completions' }) })
/** Query of a playground path. Other parameters belong to the model path. */
const Query = z.looseObject({
  project: Id.optional().openapi({
    description: 'Id of the calling project. Default: the first project of the organization.',
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

async function pass(
  asked: RouteRequest<z.output<typeof Params>, z.output<typeof Query>>,
): Promise<{ response: Response }> {
  const { parts, caller, organization, params, query, request } = asked
  if (!parts.gateway) throw new HeadgateError('not-found', 'The playground is disabled.')
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
      'Sends a GET request to a model path. It requires `Content-Type: application/json`, which pages of other origins cannot send.',
    streams: ['application/json'],
    handle: pass,
  }),
  route({
    ...COMMON,
    method: 'post',
    id: 'askModels',
    summary:
      'Sends a request to a model path, such as `v1/chat/completions`, with a separate key per person that the gateway keeps. The budgets and limits of the key apply. Request and response have the format of the path. A form (`multipart/form-data`) requires the header `X-Requested-With`, which pages of other origins cannot send.',
    streams: ['application/json', 'text/event-stream', 'application/octet-stream'],
    handle: pass,
  }),
  route({
    ...COMMON,
    method: 'delete',
    id: 'askModelsToDelete',
    summary: 'Sends a DELETE request to a model path, such as a video task.',
    streams: ['application/json'],
    handle: pass,
  }),
]
