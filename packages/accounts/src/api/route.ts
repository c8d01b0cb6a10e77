import type { Principal } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import type { Access } from '../roles/access.ts'
import type { Caller, Origin } from '../roles/caller.ts'
import type { Action } from '../roles/roles.ts'
import type { NewSession, Session } from '../sessions/sessions.ts'
import type { Flow } from '../sign-in/flow.ts'
import type { Events } from './events/events.ts'
import type { ManagementParts } from './parts.ts'
import { Id } from './schemas.ts'

/** By what somebody may ask: by nothing, a session, a key with the scope `admin`, any key. */
export type Credential = 'nothing' | 'session' | 'admin key' | 'any key'

type Shape = z.ZodObject

/** What a route is, without what it does: documents and tests of roles are made of it. */
export interface RouteData {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Below the API's path: `/keys/{key}`. */
  readonly path: string
  /** By which clients name it: `createKey`. */
  readonly id: string
  readonly summary: string
  readonly by: readonly Credential[]
  /** What the one who asks must be allowed in an organization. Absent = it is their own, or everybody's. */
  readonly action?: Action
  /** Whether it is the whole gateway's, which the first organization manages. */
  readonly isGateways?: boolean
  /**
   * Whether people must have shown who they are within 15 minutes. Where that depends on the request, whoever does it
   * checks.
   */
  readonly isSensitive?: boolean
  readonly params?: Shape
  readonly query?: Shape
  readonly body?: Shape
  /** Of an answer in JSON; absent = there is none. */
  readonly answer?: z.ZodType
  /** Media types of an answer that is streamed. */
  readonly streams?: readonly string[]
  /** Of an answer; default 200, without one 204. */
  readonly status?: 200 | 201 | 202 | 204
  /** Fields of an answer that are shown once. */
  readonly secrets?: readonly string[]
  /** Whether its path goes on, and request and answer pass as they are, of any size. */
  readonly passes?: boolean
  /** Whether it is of a thing that has versions, which `If-Match` names. */
  readonly isVersioned?: boolean
}

/** A request that is allowed, and sound. */
export interface Asked<Params = unknown, Query = unknown, Body = unknown> {
  readonly parts: ManagementParts
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Of a route that has an action. */
  readonly access: Access
  readonly organization: string
  /** What `If-Match` asks for, in text; undefined = whatever there is. */
  readonly match: string | undefined
  /** The same as a number. */
  readonly version: number | undefined
  readonly origin: Origin
  /** The origin of the browser, one of the gateway's own; undefined of scripts. */
  readonly browser: string | undefined
  readonly session: Session | undefined
  /** Who holds the key that was sent. */
  readonly holder: Principal | undefined
  /** What the browser holds. */
  readonly cookies: { readonly session?: string; readonly flow?: string; readonly device?: string }
  /** As it came; of a route that passes, with its body unread. */
  readonly request: Request
  readonly events: Events
  /** What the browser has heard last, as it was told: anything. */
  readonly lastEvent: string | undefined
}

/** What is answered. */
export interface Answer<Body = unknown> {
  readonly body?: Body
  /** Of the thing that is answered, for `ETag`. */
  readonly version?: number | string | undefined
  /** The browser gets its token. */
  readonly session?: NewSession
  /** The browser holds it until it comes back; null = no longer. */
  readonly flow?: Flow | null
  /** Whether the browser's session is over. */
  readonly isSignedOut?: boolean
  /** `name`: of the file that browsers keep it as; absent = they read it. */
  /** As it is. */
  readonly response?: Response
  readonly stream?: { readonly type: string; readonly name?: string; readonly texts: AsyncIterable<string> }
}

export interface ApiRoute extends RouteData {
  /** As it is checked and documented: with what all routes of an organization take. */
  readonly query: Shape
  readonly params: Shape
  handle(asked: Asked): Answer | Promise<Answer>
}

const NONE = z.strictObject({})
type None = typeof NONE

interface Given<Params extends Shape, Query extends Shape, Body extends Shape, Result extends z.ZodType>
  extends RouteData {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly answer?: Result
  handle(
    asked: Asked<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Answer<z.input<Result>> | Promise<Answer<z.input<Result>>>
}

/** What clients send to a route and are answered, as types alone: nothing of it is there when the program runs. */
export interface RouteTypes {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly answer: unknown
}

/** A route that says its types. */
export type TypedRoute<Data extends Pick<RouteData, 'method' | 'path'>, Types extends RouteTypes> = ApiRoute &
  Pick<Data, 'method' | 'path'> & { readonly types?: Types }

/** A route, whose schemas say what it is handed. */
export function route<
  const Method extends RouteData['method'],
  const Path extends string,
  Params extends Shape = None,
  Query extends Shape = None,
  Body extends Shape = None,
  Result extends z.ZodType = z.ZodUndefined,
>(
  given: Given<Params, Query, Body, Result> & { readonly method: Method; readonly path: Path },
): TypedRoute<
  { readonly method: Method; readonly path: Path },
  { params: z.input<Params>; query: z.input<Query>; body: z.input<Body>; answer: z.output<Result> }
> {
  const organization = Id.optional().openapi({
    description: 'Id of the organization; default that of the key, or the first one joined.',
  })
  const own: Shape = given.query ?? NONE
  return {
    ...given,
    params: given.params ?? NONE,
    query: given.action === undefined ? own : own.extend({ organization }),
    handle: (asked) => given.handle(asked as Asked<z.output<Params>, z.output<Query>, z.output<Body>>),
  }
}

/** By which most that belongs to an organization is asked for. */
export const PEOPLE_AND_SCRIPTS = ['session', 'admin key'] as const
