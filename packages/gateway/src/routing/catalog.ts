import type { ModelFacts } from '@headgate/core/canonical'
import type { ProviderInstance } from '@headgate/core/contract'
import type { WaitingCount } from '../http/upstream.ts'
import type { ModelDeployment, ProviderEntry } from '../ports/gateway-options.ts'
import type { EndpointEntry, EndpointLimits } from '../ports/routing.ts'

/** Endpoint of a configured provider: one credential, base URL and region. */
export interface Endpoint {
  /** Empty if the provider has only one endpoint. */
  readonly name: string
  /** Adapter with the credential and base URL of this endpoint. */
  readonly provider: ProviderInstance
  /** Name of its account, unique over all providers. */
  readonly account: string
  readonly weight: number
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  /** Patterns of the provider's model names that it serves; undefined = all. */
  readonly models: readonly string[] | undefined
  readonly limits: EndpointLimits | undefined
}

/** A configured provider with its known models. */
export interface ConfiguredInstance {
  readonly name: string
  /** Adapter of the first endpoint. Calls use the adapter of their endpoint. */
  readonly provider: ProviderInstance
  /** Endpoints by priority, at least one. */
  readonly endpoints: readonly Endpoint[]
  /** Facts by public id of a closed list of models; absent = the provider accepts any id. */
  readonly closed: ReadonlyMap<string, ModelFacts> | undefined
  /** Facts that the adapter package contains. */
  readonly known: ReadonlyMap<string, ModelFacts>
  /** Facts from the provider's last model list; absent until it was read. */
  live: ReadonlyMap<string, ModelFacts> | undefined
  /** Requests that wait for the first byte of this provider. */
  readonly waiting: WaitingCount
  /** Maximum of {@link waiting}; absent = the gateway's default. */
  readonly mostWaiting: number | undefined
  /** True if it gets `traceparent`; undefined = the gateway's setting. */
  readonly tracing: boolean | undefined
}

function byId(facts: readonly ModelFacts[]): Map<string, ModelFacts> {
  return new Map(facts.map((fact) => [fact.id, fact]))
}

function closedList(
  entry: ProviderEntry,
  known: ReadonlyMap<string, ModelFacts>,
): ReadonlyMap<string, ModelFacts> | undefined {
  const models = entry.models
  if (!models) return entry.provider.closed ? known : undefined
  const named: [string, string | ModelDeployment][] = Array.isArray(models)
    ? models.map((id: string) => [id, id])
    : Object.entries(models as Record<string, string | ModelDeployment>)
  return new Map(
    named.map(([id, given]) => {
      const { upstream = id, is, output } = typeof given === 'string' ? { upstream: given } : given
      const said = { ...(is !== undefined && { is }), ...(output !== undefined && { output }) }
      const facts: ModelFacts = Object.assign({}, known.get(upstream), { id, upstream }, said)
      // Other models are the same as the model in `is`.
      if (is === undefined) return [id, facts]
      const { same: _, ...others } = facts
      return [id, others]
    }),
  )
}

function endpointOf(name: string, provider: ProviderInstance, entry: EndpointEntry): Endpoint {
  return {
    name: entry.name,
    provider: entry.provider ?? provider,
    account: `${name}\n${entry.group ?? entry.name}`,
    weight: entry.weight ?? 1,
    priority: entry.priority ?? 0,
    labels: entry.labels ?? {},
    models: entry.models,
    limits: entry.limits,
  }
}

/**
 * Endpoints of an entry.
 * @throws TypeError for two endpoints with the same name
 */
function endpointsOf(name: string, { provider, endpoints = [] }: ProviderEntry): readonly Endpoint[] {
  if (endpoints.length === 0)
    return [
      { name: '', provider, account: name, weight: 1, priority: 0, labels: {}, models: undefined, limits: undefined },
    ]
  const twice = endpoints.find((one, place) => endpoints.findIndex((other) => other.name === one.name) < place)
  if (twice) throw new TypeError(`Two endpoints of ${name} are named "${twice.name}". Give one of them another name.`)
  return endpoints.map((one) => endpointOf(name, provider, one)).sort((a, b) => a.priority - b.priority)
}

/** Name of an endpoint among all providers: `<provider>`, or `<provider>/<endpoint>`. */
export function placeOf({ name }: Pick<ConfiguredInstance, 'name'>, endpoint: Pick<Endpoint, 'name'>): string {
  return endpoint.name === '' ? name : `${name}/${endpoint.name}`
}

/** An endpoint and its provider. */
export interface EndpointPlace {
  readonly instance: ConfiguredInstance
  readonly endpoint: Endpoint
}

/** Endpoint by the result of {@link placeOf}; undefined = it is not configured any more. */
export function endpointAt(instances: readonly ConfiguredInstance[], place: string): EndpointPlace | undefined {
  const slash = place.indexOf('/')
  const name = slash < 0 ? place : place.slice(0, slash)
  const instance = instances.find((one) => one.name === name)
  const endpoint =
    slash < 0 ? instance?.endpoints[0] : instance?.endpoints.find((one) => one.name === place.slice(slash + 1))
  return instance && endpoint && { instance, endpoint }
}

/** Instances in configuration order, which is their priority. */
export function createInstances(providers: readonly (ProviderInstance | ProviderEntry)[]): ConfiguredInstance[] {
  const instances = providers.map((given): ConfiguredInstance => {
    const entry: ProviderEntry = 'provider' in given ? given : { provider: given }
    const known = byId(entry.provider.known ?? [])
    const name = entry.name ?? entry.provider.name
    const endpoints = endpointsOf(name, entry)
    return {
      name,
      provider: endpoints[0]?.provider ?? entry.provider,
      endpoints,
      closed: closedList(entry, known),
      known,
      live: undefined,
      waiting: { count: 0 },
      mostWaiting: entry.waiting,
      tracing: entry.tracing,
    }
  })
  const names = new Set<string>()
  for (const { name } of instances) {
    if (names.has(name)) throw new TypeError(`Two providers are named "${name}". Give one of them another name.`)
    names.add(name)
  }
  return instances
}

/** The facts of a deployment: its own, and for the rest the facts and price of its model. */
function withOrigin({ known }: ConfiguredInstance, facts: ModelFacts | undefined): ModelFacts | undefined {
  const origin = facts?.is === undefined ? undefined : known.get(facts.is)
  return facts && origin ? { ...origin, ...facts } : facts
}

/** Facts of a model at an instance; undefined = not listed. */
export function listed(instance: ConfiguredInstance, id: string): ModelFacts | undefined {
  if (instance.closed) return withOrigin(instance, instance.closed.get(id))
  const live = instance.live?.get(id)
  const known = instance.known.get(id)
  return withOrigin(instance, live && known ? { ...known, ...live } : (live ?? known))
}

/** All listed models of an instance. */
export function listedModels(instance: ConfiguredInstance): ModelFacts[] {
  const models = instance.closed ?? instance.live ?? instance.known
  return [...models.keys()].flatMap((id) => listed(instance, id) ?? [])
}

/** Replaces the live model list of an instance. */
export function setLive(instance: ConfiguredInstance, facts: readonly ModelFacts[]): void {
  instance.live = byId(facts)
}
