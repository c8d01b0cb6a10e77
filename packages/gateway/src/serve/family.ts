import type { Provider } from '@headgate/core/contract'
import type { z } from 'zod'
import type { CostInput, UsageBound } from '../cost/bound.ts'
import type { ErrorWriter } from '../edge/error-writer.ts'
import type { PathParameters, Route } from '../edge/router.ts'
import type { Incoming } from '../edge/sink.ts'
import type { GatewayOptions } from '../ports/gateway-options.ts'
import type { ServedFamily } from '../routing/candidates.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** Facts about a request after routing. */
export interface RouteMatch {
  readonly parameters: PathParameters
  /** Documented path below the base path. */
  readonly path: string
  /** Query without `?`. */
  readonly query: string
}

/** A route and its handler. */
export interface ServedRoute extends Route {
  /**
   * Set if anyone with the URL can use the route, because the handler verifies a signature. Default: an API key is
   * required.
   */
  readonly isSigned?: boolean
  /** Set if the handler supports dry runs, see `isDryRun`. Default: dry runs are rejected. */
  readonly canDryRun?: boolean
  /** Set if the header `idempotency-key` applies. Default: it is ignored. */
  readonly isIdempotent?: boolean
  /** Sends a response, or throws the HeadgateError that the caller gets. */
  serve(context: Context, arrived: RouteMatch): Promise<void>
}

/** A family that a gateway serves. */
export interface OpenFamily {
  readonly routes: readonly ServedRoute[]
  /** Stops background work. */
  close?(): Promise<void>
}

/** Kind of request, with its paths, error format, and handlers. */
export interface Family {
  /** Name in usage rows and metrics, and the member of a provider that serves the family. */
  readonly id: string
  /** Kind of server: model providers, search backends, or the gateway itself. */
  readonly kind: 'provider' | 'backend' | 'gateway'
  /** Schemas of requests and of responses that are specific to the family, by name, for the OpenAPI document. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>
  /** Writer of errors for a path; undefined = the path does not belong to this family. */
  errors(path: string, incoming: Pick<Incoming, 'method' | 'headers'>): ErrorWriter | undefined
  /** True if a provider supports the family. Default: no provider does. */
  has?(provider: Provider): boolean
  /**
   * Maximum usage of one upstream call, whose price is the worst-case cost (`mostOf`); undefined = unknown. Linear in
   * the size of the body.
   */
  bound?(asked: CostInput): UsageBound | undefined
  /** Opens the family; undefined if these options do not enable it. Its paths do not exist then. */
  open(core: Core, options: GatewayOptions): OpenFamily | undefined
}

/** Filter of the providers that serve a family. `isOpen`: whether a family has routes; called per request. */
export function servedBy(families: readonly Family[], isOpen: (id: string) => boolean): Core['served'] {
  const providers = families
    .filter(({ kind }) => kind === 'provider')
    .map(
      ({ id, has }): ServedFamily => ({
        id,
        has: (provider, facts) => (has?.(provider) ?? false) && facts?.families?.includes(id) !== false,
      }),
    )
  const known = new Map(providers.map((family) => [family.id, family]))
  const anyOf = (families: readonly ServedFamily[]): ServedFamily => ({
    id: 'models',
    has: (provider, facts) => families.some(({ id, has }) => isOpen(id) && has(provider, facts)),
  })
  const any = anyOf(providers)
  return (id, among) => {
    if (id === undefined && among) return anyOf(providers.filter((one) => among.includes(one.id)))
    const family = id === undefined ? any : known.get(id)
    if (!family) throw new TypeError(`Providers do not serve a family "${id}".`)
    return family
  }
}
