import type { Provider } from '@headgate/core/contract'
import type { z } from 'zod'
import type { Asked, Bound } from '../cost/bound.ts'
import type { ErrorWriter } from '../edge/error-writer.ts'
import type { PathParameters, Route } from '../edge/router.ts'
import type { Incoming } from '../edge/sink.ts'
import type { GatewayOptions } from '../ports/gateway-options.ts'
import type { ServedFamily } from '../routing/candidates.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** What is known of a request when its route was found. */
export interface Arrived {
  readonly parameters: PathParameters
  /** As it is documented, behind the base path. */
  readonly path: string
  /** Without its `?`. */
  readonly query: string
}

/** A route with what serves it. */
export interface ServedRoute extends Route {
  /** It is for whoever has its URL: it checks a signature itself. Default: a key is asked for. */
  readonly isSigned?: boolean
  /** It answers a dry run of it without asking anybody, see `isDryRun`. Default: one is refused. */
  readonly canDryRun?: boolean
  /** Answers, or throws HeadgateError for what the caller must be told. */
  serve(context: Context, arrived: Arrived): Promise<void>
}

/** A family that a gateway serves. */
export interface OpenFamily {
  readonly routes: readonly ServedRoute[]
  /** Ends what runs by itself. */
  close?(): Promise<void>
}

/** One kind of request: its paths, the shape of its failures, who serves it and how. */
export interface Family {
  /** Name in usage rows and metrics, and the member of a provider that serves it. */
  readonly id: string
  /** What serves it: providers of models, backends of search, or nobody but the gateway itself. */
  readonly kind: 'provider' | 'backend' | 'gateway'
  /** Bodies of its requests, and of answers that are its own, by name: for the OpenAPI document. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>
  /** How failures are said to who calls a path; undefined = the path is none of its own. */
  errors(path: string, incoming: Pick<Incoming, 'method' | 'headers'>): ErrorWriter | undefined
  /** Whether a provider serves it. Default: none does. */
  has?(provider: Provider): boolean
  /**
   * The most that a request can use of one upstream call, so that its price is the most that the call can cost
   * (`mostOf`); undefined where that is not known. Linear in the size of the body.
   */
  bound?(asked: Asked): Bound | undefined
  /** Undefined where a gateway with these options does not serve it: its paths then do not exist. */
  open(core: Core, options: GatewayOptions): OpenFamily | undefined
}

/** Which providers serve a family. `isOpen`: whether a family has routes, which is asked once requests come. */
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
    if (!family) throw new TypeError(`There is no family "${id}" that providers serve.`)
    return family
  }
}
