import { randomBytes } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import { createRoute, OpenAPIHono, type z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { type Admitted, admit } from './admission.ts'
import { matchOf, responseOf } from './answer.ts'
import { bodyOf } from './body.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { documented, SECURITY } from './document.ts'
import { createEvents, type Events } from './events/events.ts'
import { answerIdempotently } from './idempotency.ts'
import type { ManagementParts, Peer } from './parts.ts'
import { fieldErrors, problemOf } from './problem.ts'
import { type Attempted, createRefusals } from './refusals.ts'
import type { ApiRoute } from './route.ts'
import { ROUTES } from './routes.ts'
import { mailStatements } from './statement-mail.ts'
import { createStreamingRoutes } from './streaming-routes.ts'

/** Management API below its path. */
export interface ManagementApi {
  /** Serves a request below the path of the API. Never rejects. */
  fetch(request: Request, peer: Peer): Promise<Response>
  /** Paths, components and tags for the OpenAPI document. */
  openapi(): ManagementOpenApi
  /** Mails statements of the last month that are due. Does nothing without mail. */
  mailStatements(): Promise<void>
  /** Ends open event streams. */
  close(): void
}

export interface ManagementOpenApi {
  readonly paths: Readonly<Record<string, unknown>>
  readonly components: Readonly<Record<string, unknown>>
}

/** State of one request. */
interface Visit {
  readonly requestId: string
  readonly peer: Peer
  readonly text: string
  readonly request: Request
  readonly attempted: Attempted
}

interface Env {
  Bindings: Visit
  Variables: { admitted: Admitted }
}

type Visiting = Context<Env>

/** Parts shared by all routes. */
interface Shared {
  readonly parts: ManagementParts
  readonly path: string
  readonly cookies: Cookies
  readonly events: Events
}

export function createManagementApi(parts: ManagementParts): ManagementApi {
  const { path = '/api/v1', origins } = parts
  const cookies = createCookies(origins)
  const events = createEvents(parts)
  const shared: Shared = { parts, path, cookies, events }
  const app = createApp(shared)
  const passage = createStreamingRoutes(parts, cookies, path, events)
  const noteRefusal = createRefusals(parts)

  return {
    async fetch(request, peer) {
      const requestId = `req_${randomBytes(16).toString('hex')}`
      const attempted: Attempted = {}
      const begun: Visit = { requestId, peer, text: '', request, attempted }
      let response: Response
      try {
        const passed = await passage(request, begun)
        if (passed) return withHeaders(passed, requestId)
        const text = await bodyOf(request)
        response = await app.fetch(readRequest(request, text), { ...begun, text } satisfies Visit)
      } catch (error) {
        response = failed(shared, error, begun)
      }
      const { status } = response
      const isRefused =
        (status === 403 && !attempted.isPrompt) || (status === 401 && request.headers.has('authorization'))
      if (isRefused && attempted.caller) {
        const target = `${request.method} ${new URL(request.url).pathname}`.slice(0, 200)
        await noteRefusal({ caller: attempted.caller, target, status })
      }
      return withHeaders(response, requestId)
    },
    openapi() {
      const { paths = {}, components = {} } = app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { title: 'Headgate', version: '1' },
      })
      return { paths, components: { ...components } }
    },
    mailStatements: () => mailStatements(parts),
    close: events.end,
  }
}

function createApp(shared: Shared): OpenAPIHono<Env> {
  const { path, cookies } = shared
  const app = new OpenAPIHono<Env>().basePath(path)
  app.openAPIRegistry.registerComponent('securitySchemes', 'session', { ...SECURITY.session, name: cookies.name })
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', SECURITY.bearer)
  for (const route of ROUTES) {
    if (route.passes) app.openAPIRegistry.registerPath(documented(route))
    else
      app.openapi(
        createRoute({ ...documented(route), middleware: entranceOf(shared, route) }),
        (context) => answer(shared, route, context as Visiting),
        throwInvalid as never,
      )
  }
  app.onError((error, context) => failed(shared, error, context.env, context.get('admitted')))
  app.notFound((context) =>
    problemOf(missingRoute(new URL(context.req.url).pathname.slice(path.length)), context.env.requestId),
  )
  return app
}

/** Admits the caller of a route before its body is checked. */
function entranceOf({ parts, cookies }: Shared, route: ApiRoute) {
  return async (context: Visiting, next: () => Promise<void>): Promise<void> => {
    const { request, peer, requestId, text, attempted } = context.env
    context.set('admitted', await admit(route, request, { parts, cookies, peer, requestId, attempted }))
    if (!route.body && text !== '' && text.trim() !== '{}')
      throw new HeadgateError('invalid-request', 'This request must not have a body.')
    await next()
  }
}

function throwInvalid(result: { success: boolean; error?: z.ZodError; target?: string }): void {
  if (!result.success && result.error)
    throw fieldErrors(result.error, result.target === 'json' ? 'body' : (result.target ?? 'request'))
}

async function answer({ parts, cookies, events }: Shared, route: ApiRoute, context: Visiting): Promise<Response> {
  const { now = Date.now } = parts
  const admitted = context.get('admitted')
  const { request, text } = context.env
  const match = matchOf(route, request)
  const { pathname, search } = new URL(request.url)
  const validated = (target: 'param' | 'query' | 'json'): unknown => context.req.valid(target as never)
  const asked = {
    parts,
    ...admitted,
    match,
    version: versionOf(match),
    events,
    lastEvent: request.headers.get('last-event-id') ?? undefined,
    request,
    params: validated('param'),
    query: validated('query'),
    body: route.body ? validated('json') : {},
  }
  const once = {
    caller: admitted.caller,
    header: route.method === 'get' || route.action === undefined ? null : request.headers.get('idempotency-key'),
    request: JSON.stringify([route.method, pathname, search, match ?? null, text]),
    secrets: route.secrets ?? [],
  }
  const given = { ...asked, access: admitted.access as never, organization: admitted.access?.organization ?? '' }
  return answerIdempotently(parts, once, async () => {
    const answer = await route.handle(given)
    const { session } = answer
    const device = session && (await parts.accounts.markDevice(session.session.person, admitted.cookies.device))
    return responseOf(route, answer, cookies, now(), device)
  })
}

function failed(
  { parts, cookies }: Shared,
  error: unknown,
  { requestId, request, attempted }: Visit,
  admitted?: Admitted,
): Response {
  const known = errorOf(error)
  attempted.isPrompt = known.param === 'session'
  if (known.status >= 500)
    parts.onProblem(
      `The management API failed (${requestId}): ${String(error instanceof Error ? (error.stack ?? error) : error)}`,
    )
  const response = problemOf(known, requestId)
  // An expired session belongs to no one. A caller with a valid session may still be refused for a wrong password.
  const isOver =
    response.status === 401 &&
    !admitted?.session &&
    !request.headers.has('authorization') &&
    cookies.read(request.headers).session !== undefined
  if (isOver) response.headers.append('set-cookie', cookies.endSession())
  return response
}

/** Copy of the request with its body read. */
function readRequest({ url, method, headers }: Request, text: string): Request {
  return new Request(url, { method, headers, ...(text !== '' && { body: text }) })
}

function withHeaders(response: Response, requestId: string): Response {
  const { headers } = response
  // A forwarded response already has the id of its usage row.
  if (!headers.has('x-request-id')) headers.set('x-request-id', requestId)
  headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
  return response
}

function versionOf(match: string | undefined): number | undefined {
  if (match === undefined) return undefined
  // Versions are never negative.
  return /^\d{1,15}$/.test(match) ? Number(match) : -1
}

function errorOf(error: unknown): HeadgateError {
  if (HeadgateError.is(error)) return error
  if (!(error instanceof HTTPException))
    return new HeadgateError('internal', 'The gateway failed. Its log has the id of this request.', {
      cause: error,
    })
  if (error.status === 415)
    return new HeadgateError('invalid-request', 'The body must be `application/json`.', { status: 415 })
  return new HeadgateError('invalid-request', 'The body is not valid JSON.')
}

/** Error for a path without a route: unknown path, or method not allowed. */
function missingRoute(path: string): HeadgateError {
  const segments = path.split('/')
  const here = ROUTES.filter((route) => {
    const own = route.path.split('/')
    return (
      own.length === segments.length && own.every((part, index) => part.startsWith('{') || part === segments[index])
    )
  })
  if (here.length === 0)
    return new HeadgateError('not-found', 'There is no such path. `GET /openapi.json` lists all paths.')
  const allow = [...new Set(here.map(({ method }) => method.toUpperCase()))].join(', ')
  return new HeadgateError('method-not-allowed', `This path supports only ${allow}.`, { allow })
}
