import { randomBytes } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import { createRoute, OpenAPIHono, type z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { type Admitted, admit } from './admission.ts'
import { matchOf, responseOf } from './answer.ts'
import { bodyOf } from './body.ts'
import { createCookies } from './cookies.ts'
import { documented, SECURITY } from './document.ts'
import { createEvents } from './events/events.ts'
import { answerOnce } from './once.ts'
import type { ManagementParts, Peer } from './parts.ts'
import { createPassage } from './passage.ts'
import { fieldErrors, problemOf } from './problem.ts'
import { type Attempted, createRefusals } from './refusals.ts'
import type { ApiRoute } from './route.ts'
import { ROUTES } from './routes.ts'

/** The management API, below its path. */
export interface ManagementApi {
  /** Answers a request whose path is below the API's. Never rejects. */
  fetch(request: Request, peer: Peer): Promise<Response>
  /** Its part of the OpenAPI document: paths, components and tags. */
  openapi(): OpenApiPart
  /** Ends what would go on by itself: streams of events. */
  close(): void
}

export interface OpenApiPart {
  readonly paths: Readonly<Record<string, unknown>>
  readonly components: Readonly<Record<string, unknown>>
}

/** What is known of a request while it is answered. */
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

export function createManagementApi(parts: ManagementParts): ManagementApi {
  const { path = '/api/v1', now = Date.now, origins, onProblem } = parts
  const cookies = createCookies(origins)
  const events = createEvents(parts)
  const noteRefusal = createRefusals(parts)
  const app = new OpenAPIHono<Env>().basePath(path)
  app.openAPIRegistry.registerComponent('securitySchemes', 'session', { ...SECURITY.session, name: cookies.name })
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', SECURITY.bearer)

  const answer = async (route: ApiRoute, context: Visiting): Promise<Response> => {
    const admitted = context.get('admitted')
    const { request, text } = context.env
    const match = matchOf(route, request)
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
      request: JSON.stringify([
        route.method,
        new URL(request.url).pathname,
        new URL(request.url).search,
        match ?? null,
        text,
      ]),
      secrets: route.secrets ?? [],
    }
    const given = { ...asked, access: admitted.access as never, organisation: admitted.access?.organisation ?? '' }
    return answerOnce(parts, once, async () => {
      const answer = await route.handle(given)
      const { session } = answer
      const device = session && (await parts.accounts.markDevice(session.session.person, admitted.cookies.device))
      return responseOf(route, answer, cookies, now(), device)
    })
  }

  const passage = createPassage(parts, cookies, path, events)
  for (const route of ROUTES) {
    if (route.passes) {
      app.openAPIRegistry.registerPath(documented(route))
      continue
    }
    const enter = async (context: Visiting, next: () => Promise<void>): Promise<void> => {
      const { request, peer, requestId, text, attempted } = context.env
      context.set('admitted', await admit(route, request, { parts, cookies, peer, requestId, attempted }))
      if (!route.body && text !== '' && text.trim() !== '{}')
        throw new HeadgateError('invalid-request', 'This takes no body.')
      await next()
    }
    const onChecked = (result: { success: boolean; error?: z.ZodError; target?: string }): void => {
      if (!result.success && result.error)
        throw fieldErrors(result.error, result.target === 'json' ? 'body' : (result.target ?? 'request'))
    }
    app.openapi(
      createRoute({ ...documented(route), middleware: enter }),
      (context) => answer(route, context as Visiting),
      onChecked as never,
    )
  }

  const failed = (error: unknown, { requestId, request, attempted }: Visit, admitted?: Admitted): Response => {
    const known = errorOf(error)
    attempted.isPrompt = known.param === 'session'
    if (known.status >= 500)
      onProblem(
        `The management API has failed (${requestId}): ${String(error instanceof Error ? (error.stack ?? error) : error)}`,
      )
    const response = problemOf(known, requestId)
    // A session that is over is nobody's. Who is let in by one may still be refused for a password that is wrong.
    const isOver =
      response.status === 401 &&
      !admitted?.session &&
      !request.headers.has('authorization') &&
      cookies.read(request.headers).session !== undefined
    if (isOver) response.headers.append('set-cookie', cookies.endSession())
    return response
  }
  app.onError((error, context) => failed(error, context.env, context.get('admitted')))
  app.notFound((context) =>
    problemOf(missingRoute(new URL(context.req.url).pathname.slice(path.length)), context.env.requestId),
  )

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
        response = failed(error, begun)
      }
      const { status } = response
      const isRefused =
        (status === 403 && !attempted.isPrompt) || (status === 401 && request.headers.has('authorization'))
      if (isRefused && attempted.caller)
        await noteRefusal({
          caller: attempted.caller,
          target: `${request.method} ${new URL(request.url).pathname}`.slice(0, 200),
          status,
        })
      return withHeaders(response, requestId)
    },
    openapi() {
      const { paths = {}, components = {} } = app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { title: 'Headgate', version: '1' },
      })
      return { paths, components: { ...components } }
    },
    close: events.end,
  }
}

/** The same request with its body read. */
function readRequest({ url, method, headers }: Request, text: string): Request {
  return new Request(url, { method, headers, ...(text !== '' && { body: text }) })
}

function withHeaders(response: Response, requestId: string): Response {
  const { headers } = response
  // What has passed has an id already, by which its usage is found.
  if (!headers.has('x-request-id')) headers.set('x-request-id', requestId)
  headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
  return response
}

function versionOf(match: string | undefined): number | undefined {
  if (match === undefined) return undefined
  // No version of anything here is below 0.
  return /^\d{1,15}$/.test(match) ? Number(match) : -1
}

function errorOf(error: unknown): HeadgateError {
  if (HeadgateError.is(error)) return error
  if (!(error instanceof HTTPException))
    return new HeadgateError('internal', 'The gateway has failed. Its log has the id of this request.', {
      cause: error,
    })
  if (error.status === 415)
    return new HeadgateError('invalid-request', 'The body has to be `application/json`.', { status: 415 })
  return new HeadgateError('invalid-request', 'The body is no JSON.')
}

/** Whether the path has other methods, or is none. */
function missingRoute(path: string): HeadgateError {
  const segments = path.split('/')
  const here = ROUTES.filter((route) => {
    const own = route.path.split('/')
    return (
      own.length === segments.length && own.every((part, index) => part.startsWith('{') || part === segments[index])
    )
  })
  if (here.length === 0) return new HeadgateError('not-found', 'There is no such path. `GET /openapi.json` lists all.')
  const allow = [...new Set(here.map(({ method }) => method.toUpperCase()))].join(', ')
  return new HeadgateError('method-not-allowed', `This path has ${allow} only.`, { allow })
}
