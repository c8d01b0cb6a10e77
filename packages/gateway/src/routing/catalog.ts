import type { ModelFacts } from '@headgate/core/canonical'
import type { ProviderInstance } from '@headgate/core/contract'
import type { WaitingCount } from '../http/upstream.ts'
import type { ModelDeployment, ProviderEntry } from '../ports/gateway-options.ts'

/** A configured provider with its known models. */
export interface ConfiguredInstance {
  readonly name: string
  readonly provider: ProviderInstance
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
      return [id, Object.assign({}, known.get(upstream), { id, upstream }, said)]
    }),
  )
}

/** Instances in configuration order, which is their priority. */
export function createInstances(providers: readonly (ProviderInstance | ProviderEntry)[]): ConfiguredInstance[] {
  const instances = providers.map((given): ConfiguredInstance => {
    const entry: ProviderEntry = 'provider' in given ? given : { provider: given }
    const known = byId(entry.provider.known ?? [])
    return {
      name: entry.name ?? entry.provider.name,
      provider: entry.provider,
      closed: closedList(entry, known),
      known,
      live: undefined,
      waiting: { count: 0 },
      mostWaiting: entry.waiting,
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
