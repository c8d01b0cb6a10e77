import { HeadgateError, isWithin, type Principal } from '@headgate/gateway/ports'
import { FIRST_ORGANIZATION } from '../database/ids.ts'
import type { Access } from '../roles/access.ts'
import { type Caller, callerOf, type RequestOrigin } from '../roles/caller.ts'
import type { Session } from '../sessions/sessions.ts'
import type { Cookies } from './cookies.ts'
import type { ManagementParts, Peer } from './parts.ts'
import type { Attempted } from './refusals.ts'
import type { ApiRoute, RouteData } from './route.ts'

/** Admitted caller with their credentials and permissions. */
export interface Admitted {
  readonly caller: Caller
  readonly origin: RequestOrigin
  readonly browser: string | undefined
  readonly session: Session | undefined
  readonly holder: Principal | undefined
  readonly cookies: { readonly session?: string; readonly flow?: string; readonly device?: string }
  readonly access: Access | undefined
}

export interface Admission {
  readonly parts: ManagementParts
  readonly cookies: Cookies
  readonly peer: Peer
  readonly requestId: string
  /** Receives the caller once it is known, even if the request is refused. */
  readonly attempted?: Attempted
}

/** Scope of keys that can use this API. */
const ADMIN = 'admin'
const BEARER = /^bearer +(\S{1,1000}) *$/i
const JSON_TYPE = /^application\/json *(?:;|$)/i
const FORM_TYPE = /^multipart\/form-data *;/i
/** Header that pages of other origins cannot send with a form. */
const FORM_HEADER = 'x-requested-with'

/**
 * Admits a request before its body is read, so that unauthorized callers learn nothing about its validity. A key takes
 * precedence over a cookie: pages of other origins cannot send one.
 * @throws HeadgateError `bad-key`, `forbidden`, `not-found`.
 */
export async function admit(route: ApiRoute, request: Request, admission: Admission): Promise<Admitted> {
  const { parts, cookies, peer, requestId, attempted = {} } = admission
  const agent = request.headers.get('user-agent') ?? undefined
  const origin: RequestOrigin = { address: peer.address, agent, requestId }
  attempted.caller = { kind: 'anonymous', ...origin }
  const authorization = request.headers.get('authorization')
  const came: Omit<Admitted, 'access'> =
    authorization === null
      ? { origin, holder: undefined, ...(await byBrowser(route, request, parts, { cookies, origin })) }
      : {
          origin,
          browser: undefined,
          session: undefined,
          cookies: {},
          ...(await byKey(route, request, parts, { origin, authorization, attempted })),
        }
  attempted.caller = came.caller
  return { ...came, access: await accessTo(route, request, parts, came.caller) }
}

/** Caller in a browser, with or without a session cookie. */
async function byBrowser(
  route: RouteData,
  request: Request,
  { accounts, origins }: ManagementParts,
  { cookies, origin }: { readonly cookies: Cookies; readonly origin: RequestOrigin },
): Promise<Pick<Admitted, 'caller' | 'session' | 'browser' | 'cookies'>> {
  const browser = browserOf(route, request, origins)
  const held = cookies.read(request.headers)
  const session = held.session === undefined ? undefined : await accounts.useSession(held.session, origin)
  if (session && (route.by.includes('session') || route.by.includes('nothing')))
    return { caller: callerOf(session, origin), session, browser, cookies: held }
  if (!route.by.includes('nothing')) throw new HeadgateError('bad-key', credentialHint(route))
  return { caller: { kind: 'anonymous', ...origin }, session: undefined, browser, cookies: held }
}

/**
 * Origin of the browser. Requests with side effects must come from an allowed origin and be JSON. Requests to model
 * paths may be forms with a header of our own pages.
 */
function browserOf({ method, passes }: RouteData, request: Request, origins: readonly string[]): string | undefined {
  if (method === 'get' && !passes) return undefined
  const browser = request.headers.get('origin') ?? undefined
  // Browsers send no origin with some read requests. The content type below is what other origins cannot send.
  const isOurs = browser === undefined ? method === 'get' : origins.includes(browser)
  if (!isOurs) {
    const message = `This origin is not allowed. Open the dashboard at ${origins.join(', ')}, or set HEADGATE_PUBLIC_URL.`
    throw new HeadgateError('forbidden', message, { param: 'Origin' })
  }
  const type = request.headers.get('content-type') ?? ''
  const isForm = passes === true && FORM_TYPE.test(type) && request.headers.has(FORM_HEADER)
  if (!JSON_TYPE.test(type) && !isForm)
    throw new HeadgateError('forbidden', 'Requests from browsers must have the content type `application/json`.', {
      param: 'Content-Type',
    })
  return browser
}

async function byKey(
  route: RouteData,
  request: Request,
  { authenticate }: ManagementParts,
  {
    origin,
    authorization,
    attempted,
  }: { readonly origin: RequestOrigin; readonly authorization: string; readonly attempted: Attempted },
): Promise<Pick<Admitted, 'caller' | 'holder'>> {
  const key = BEARER.exec(authorization)?.[1]
  const holder =
    key === undefined
      ? undefined
      : await authenticate(key, { path: new URL(request.url).pathname, address: origin.address })
  if (!holder) throw new HeadgateError('bad-key', 'This API key is unknown or no longer valid.')
  const { addresses, scopes, owners } = holder
  const organization = owners?.organization ?? FIRST_ORGANIZATION
  attempted.caller = { kind: 'key', id: holder.id, organization, role: 'viewer', ...origin }
  if (addresses && !(origin.address !== undefined && isWithin(addresses, origin.address)))
    throw new HeadgateError('forbidden', 'This API key cannot be used from this address.')
  const isAdmin = scopes?.includes(ADMIN) === true
  if (isAdmin && (route.by.includes('admin key') || route.by.includes('any key'))) {
    const createdBy = owners?.member
    return {
      holder,
      caller: {
        kind: 'key',
        id: holder.id,
        organization,
        role: 'admin',
        ...(createdBy !== undefined && { createdBy }),
        ...origin,
      },
    }
  }
  if (route.by.includes('nothing') || route.by.includes('any key'))
    return { holder, caller: { kind: 'anonymous', ...origin } }
  const why = isAdmin ? 'Only a signed-in user can do this.' : `This API key lacks the scope \`${ADMIN}\`.`
  throw new HeadgateError('forbidden', why)
}

/** Permissions of the caller in the requested organization. */
async function accessTo(
  route: ApiRoute,
  request: Request,
  { accounts }: ManagementParts,
  caller: Caller,
): Promise<Access | undefined> {
  const { action, isSensitive, isGateways } = route
  // A key without permissions can read only its own data.
  if (action === undefined || caller.kind === 'anonymous') return undefined
  const organization = new URL(request.url).searchParams.get('organization') ?? undefined
  const access = await accounts.accessOf(caller, { organization, action, isSensitive })
  if (!isGateways || access.organization === FIRST_ORGANIZATION) return access
  throw new HeadgateError(
    'forbidden',
    'This affects the whole gateway. Only admins of its first organization can do it.',
  )
}

function credentialHint({ by }: RouteData): string {
  return by.includes('session') ? 'Sign in first.' : 'Send an API key: `Authorization: Bearer …`.'
}
