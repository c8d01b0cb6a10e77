import type { Principal } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import type { Access } from '../roles/access.ts'
import type { Caller, RequestOrigin } from '../roles/caller.ts'
import type { Action } from '../roles/roles.ts'
import type { NewSession, Session } from '../sessions/sessions.ts'
import type { Flow } from '../sign-in/flow.ts'
import type { Events } from './events/events.ts'
import type { ManagementParts } from './parts.ts'
import { Id } from './schemas.ts'

/** Accepted credential: none, a session, a key with the scope `admin`, or any key. */
export type RouteCredential = 'nothing' | 'session' | 'admin key' | 'any key'

type ObjectSchema = z.ZodObject

/** Data of a route without its handler, for documents and role tests. */
export interface RouteData {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path below the API's path, such as `/keys/{key}`. */
  readonly path: string
  /** Operation id, such as `createKey`. */
  readonly id: string
  readonly summary: string
  readonly by: readonly RouteCredential[]
  /** Required permission in an organization. Absent = the caller's own data, or public. */
  readonly action?: Action
  /** True if the route affects the whole gateway, which the first organization manages. */
  readonly isGateways?: boolean
  /**
   * True if people must have confirmed their identity within 15 minutes. If that depends on the request, the handler
   * checks.
   */
  readonly isSensitive?: boolean
  readonly params?: ObjectSchema
  readonly query?: ObjectSchema
  readonly body?: ObjectSchema
  /** Schema of a JSON response; absent = no body. */
  readonly answer?: z.ZodType
  /** Media types of a streamed response. */
  readonly streams?: readonly string[]
  /** Status of the response. Default: 200, or 204 without a body. */
  readonly status?: 200 | 201 | 202 | 204
  /** Response fields that are shown once. */
  readonly secrets?: readonly string[]
  /** True if the path has a variable rest, and request and response pass unchanged and without size limits. */
  readonly passes?: boolean
  /** True if the resource has versions for `If-Match`. */
  readonly isVersioned?: boolean
}

/** Admitted and validated request. */
export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly parts: ManagementParts
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Permissions of the caller, for routes with an action. */
  readonly access: Access
  readonly organization: string
  /** Version in `If-Match` as text; undefined = any version. */
  readonly match: string | undefined
  /** Version in `If-Match` as a number. */
  readonly version: number | undefined
  readonly origin: RequestOrigin
  /** Origin of the browser, which is allowed; undefined for scripts. */
  readonly browser: string | undefined
  readonly session: Session | undefined
  /** Principal of the sent key. */
  readonly holder: Principal | undefined
  /** Unverified tokens from the browser. */
  readonly cookies: { readonly session?: string; readonly flow?: string; readonly device?: string }
  /** Original request. Its body is unread in a streaming route. */
  readonly request: Request
  readonly events: Events
  /** Unverified id of the last event that the browser received. */
  readonly lastEvent: string | undefined
}

/** Result of a route. */
export interface RouteResponse<Body = unknown> {
  readonly body?: Body
  /** Version of the returned resource, for `ETag`. */
  readonly version?: number | string | undefined
  /** New session, whose token the browser gets as a cookie. */
  readonly session?: NewSession
  /** Flow to continue after a redirect; null ends it. */
  readonly flow?: Flow | null
  /** True if the browser's session has ended. */
  readonly isSignedOut?: boolean
  /** Response that is sent unchanged. */
  readonly response?: Response
  /** Streamed response. `name`: file name of a download; absent = shown by the browser. */
  readonly stream?: { readonly type: string; readonly name?: string; readonly texts: AsyncIterable<string> }
}

export interface ApiRoute extends RouteData {
  /** Query including the parameters common to all routes of an organization. */
  readonly query: ObjectSchema
  readonly params: ObjectSchema
  handle(asked: RouteRequest): RouteResponse | Promise<RouteResponse>
}

const NONE = z.strictObject({})
type None = typeof NONE

interface RouteDefinition<
  Params extends ObjectSchema,
  Query extends ObjectSchema,
  Body extends ObjectSchema,
  Result extends z.ZodType,
> extends RouteData {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly answer?: Result
  handle(
    asked: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): RouteResponse<z.input<Result>> | Promise<RouteResponse<z.input<Result>>>
}

/** Request and response types of a route for clients. They do not exist at run time. */
export interface RouteSchemaTypes {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly answer: unknown
}

/** Route with its types. */
export type TypedRoute<Data extends Pick<RouteData, 'method' | 'path'>, Types extends RouteSchemaTypes> = ApiRoute &
  Pick<Data, 'method' | 'path'> & { readonly types?: Types }

/** Creates a route. Its schemas determine the types of its handler. */
export function route<
  const Method extends RouteData['method'],
  const Path extends string,
  Params extends ObjectSchema = None,
  Query extends ObjectSchema = None,
  Body extends ObjectSchema = None,
  Result extends z.ZodType = z.ZodUndefined,
>(
  given: RouteDefinition<Params, Query, Body, Result> & { readonly method: Method; readonly path: Path },
): TypedRoute<
  { readonly method: Method; readonly path: Path },
  { params: z.input<Params>; query: z.input<Query>; body: z.input<Body>; answer: z.output<Result> }
> {
  const organization = Id.optional().openapi({
    description: 'Id of the organization. Default: the organization of the key, or the first one joined.',
  })
  const own: ObjectSchema = given.query ?? NONE
  return {
    ...given,
    params: given.params ?? NONE,
    query: given.action === undefined ? own : own.extend({ organization }),
    handle: (asked) => given.handle(asked as RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>),
  }
}

/** Credentials of most routes of an organization. */
export const PEOPLE_AND_SCRIPTS = ['session', 'admin key'] as const
