import type { ManagementFacts, ManagementModel, ManagementProvider } from '@headgate/accounts'
import type { AdapterState } from '@headgate/discovery'
import { variableNames } from '@headgate/discovery'
import type { HealthReport, ModelFacts, ProviderEntry } from '@headgate/gateway'
import type { ProviderHealth, Store } from '@headgate/store'
import { aliasDefinition, aliasModels } from '../config/aliases.ts'
import type { Settings, Surroundings } from '../config/settings.ts'
import { sourceOf } from '../credentials/source.ts'
import type { Inventory } from '../service/inventory.ts'
import { endpointsOf, stateIn } from './endpoints.ts'

type Server = ManagementModel['providers'][number]

/** Maximum number of models per provider with reported problems. */
const TROUBLED = 100
/** Cache time and time range of observations in milliseconds, and their maximum number of requests. */
const OBSERVED = { lasts: 60_000, days: 7 * 86_400_000, requests: 20_000 }
/** Cache time of the calls of all nodes in milliseconds. Streams of events look at them every second. */
const CALLS = 1_000
/** Maximum difference of the times of one error as this node and the store know it, in milliseconds. */
const SAME_ERROR = 2_000
/** Cache time of doctor findings in milliseconds. Each check calls every provider. */
const FOUND = 10_000

export interface FactsSources extends Pick<Surroundings, 'environment'> {
  /** Current settings and inventory. */
  serving(): { readonly settings: Settings; readonly inventory: Inventory }
  readonly store: Pick<Store, 'lists' | 'prices' | 'usage'>
  /** Known health of providers. */
  health(): readonly HealthReport[] | Promise<readonly HealthReport[]>
}

/** Facts about models and providers for the management API. */
export function createFacts({ serving, store, environment, health }: FactsSources): ManagementFacts {
  const observing = lasting(OBSERVED.lasts, async () => {
    const { since, models } = await store.usage.observed({ from: Date.now() - OBSERVED.days, limit: OBSERVED.requests })
    return new Map(
      models.map(({ provider, model, ...seen }) => [serverKey(provider, model), { since: since ?? 0, ...seen }]),
    )
  })
  const examining = lasting(FOUND, async () => {
    const { checkRunning } = await import('../doctor/doctor.ts')
    return checkRunning({ ...serving(), environment })
  })
  return {
    configuration() {
      const { loaded } = serving().settings
      return loaded ? { checksum: loaded.checksum, loadedAt: loaded.at } : {}
    },
    doctor: examining,
    async models() {
      const { settings, inventory } = serving()
      const seen = await observing()
      const servers = new Map<string, Server[]>()
      for (const { entry } of inventory.providers) {
        if (!entry) continue
        for (const [id, server] of await modelsOf(entry, store)) {
          const observed = seen.get(serverKey(server.provider, server.model))
          servers.set(id, [...(servers.get(id) ?? []), observed ? { ...server, observed } : server])
        }
      }
      const own = [...servers].map(([id, providers]): ManagementModel => ({ id, providers }))
      const aliases = Object.entries(settings.config.models ?? {}).map(([id, alias]): ManagementModel => {
        const aliasOf = aliasModels(alias)
        return {
          id,
          aliasOf,
          alias: aliasDefinition(alias, settings.config.routing),
          providers: aliasOf.flatMap((name) => servedBy(servers, name)),
        }
      })
      const limits = settings.config.limits?.models ?? {}
      return [...aliases, ...own].map((model) => {
        const bound = limits[model.id]
        return bound ? { ...model, limits: bound } : model
      })
    },
    providers: createProviders({ serving, store, environment, health }),
    limits() {
      const { models = {}, projects = {} } = serving().settings.config.limits ?? {}
      const bounds = (all: typeof models) => Object.entries(all).map(([id, limits]) => ({ id, limits }))
      return { projects: bounds(projects), models: bounds(models) }
    },
  }
}

/** Providers and search backends with their health. */
function createProviders({ serving, store, environment, health }: FactsSources): ManagementFacts['providers'] {
  const calls = lasting(CALLS, async () => {
    const { providers, backends } = serving().inventory
    const names = [
      ...providers.flatMap(({ name, entry }) => (entry ? name : [])),
      ...backends.flatMap(({ name, entry }) => (entry ? backendTarget(name) : [])),
    ]
    const found = await store.usage.providerHealth({ at: Date.now(), providers: names })
    return new Map(found.map((one) => [one.provider, one]))
  })
  return async () => {
    const { settings, inventory } = serving()
    const { providers, backends, families, credentials } = inventory
    const known = await health()
    // The pages still show what this node knows while the store does not respond.
    const called = await calls().catch(() => new Map<string, ProviderHealth>())
    const healthOf = (provider: string, entry?: ProviderEntry) =>
      wellbeing(
        known.filter((one) => one.provider === provider),
        called.get(provider),
        entry,
      )
    const credential = (state: Parameters<typeof sourceOf>[0]): ManagementProvider['credential'] => {
      const { owner } = sourceOf(state, settings, environment)
      return owner !== 'free' ? owner : credentials?.used.includes(state.name) ? 'stored' : 'none'
    }
    const chat = (entry: ProviderEntry) =>
      families.filter(({ kind, has }) => kind === 'provider' && has?.(entry.provider)).map(({ id }) => id)
    const searches = families.filter(({ kind }) => kind === 'backend').map(({ id }) => id)
    return [
      ...providers.map((state) => ({
        ...providerOf(state, 'provider', environment),
        families: state.entry ? chat(state.entry) : [],
        ...(state.entry && { credential: credential(state) }),
        ...(state.entry && healthOf(state.name, state.entry)),
      })),
      ...backends.map((state) => ({
        ...providerOf(state, 'search', environment),
        families: state.entry ? searches : [],
        ...(state.entry && healthOf(backendTarget(state.name))),
      })),
    ]
  }
}

/** Name of a search backend in health reports and calls. */
function backendTarget(name: string): string {
  return `search/${name}`
}

function serverKey(provider: string, model: string): string {
  return `${provider}\n${model}`
}

/** Caches a result for some milliseconds. Concurrent callers share one call, and failures are not cached. */
function lasting<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let known: { readonly answer: Promise<T>; readonly until: number } | undefined
  return () => {
    if (known && performance.now() < known.until) return known.answer
    const answer = ask()
    const asked = { answer, until: performance.now() + ms }
    known = asked
    answer.catch(() => {
      if (known === asked) known = undefined
    })
    return answer
  }
}

/** Providers of an alias target: a model, or `<provider>/<model>`. */
function servedBy(servers: ReadonlyMap<string, readonly Server[]>, name: string): readonly Server[] {
  const whole = servers.get(name)
  if (whole) return whole
  const slash = name.indexOf('/')
  return servers.get(name.slice(slash + 1))?.filter(({ provider }) => provider === name.slice(0, slash)) ?? []
}

/**
 * Models of a provider by the names that callers send: configured ones, else the live list, else the models that the
 * adapter knows.
 */
async function modelsOf(
  { provider, name = provider.name, models }: ProviderEntry,
  { lists, prices }: FactsSources['store'],
) {
  const listed = models ? undefined : await lists.read(name).catch(() => undefined)
  const known = new Map((provider.known ?? []).map((facts) => [facts.id, facts]))
  // A live list has fewer details than the package, so missing fields keep the package's values.
  for (const facts of listed ?? []) known.set(facts.id, { ...known.get(facts.id), ...facts })
  const now = Date.now()
  const server = (id: string, upstream: string, facts: ModelFacts | undefined): readonly [string, Server] => {
    const price = prices.priceOf(name, upstream, now)
    const formats = formatsOf(provider, upstream)
    return [
      id,
      {
        provider: name,
        model: upstream,
        ...(formats && { formats }),
        ...(facts && toldOf(facts)),
        price: price ?? null,
      },
    ]
  }
  if (!models) return [...known.values()].map((facts) => server(facts.id, facts.upstream ?? facts.id, facts))
  if (Array.isArray(models)) return models.map((id: string) => server(id, known.get(id)?.upstream ?? id, known.get(id)))
  return Object.entries(models).map(([id, given]) => {
    const { upstream = id, is = upstream, output } = typeof given === 'string' ? { upstream: given } : given
    const facts = known.get(is)
    return server(id, upstream, output === undefined ? facts : Object.assign({ id }, facts, { output }))
  })
}

/** Formats that a model accepts directly; undefined without chat. */
function formatsOf({ chat = [] }: ProviderEntry['provider'], model: string): string[] | undefined {
  const formats = chat
    .flatMap((one) => ('run' in one || one.speaks?.(model) === false ? [] : [one.format]))
    .map((format) => (typeof format === 'string' ? format : format.id))
  return formats.length > 0 ? [...new Set(formats)] : undefined
}

function toldOf({ families, context, output, inputs, tools, reasoning }: ModelFacts) {
  return {
    ...(families && { families: [...families] }),
    ...(context !== undefined && { context }),
    ...(output !== undefined && { output }),
    ...(inputs && { inputs: [...inputs] }),
    ...(tools !== undefined && { tools }),
    ...(reasoning !== undefined && { reasoning }),
  }
}

function providerOf(
  { name, adapter, entry, why }: AdapterState<unknown, unknown>,
  kind: ManagementProvider['kind'],
  environment: Surroundings['environment'],
): Omit<ManagementProvider, 'families'> {
  const variables = variableNames(adapter.description).map((variable) => ({
    name: variable,
    isSet: Boolean(environment[variable]),
  }))
  const lacks = variables.some(({ name, isSet }) => !isSet && name.endsWith('_API_KEY'))
  const state = entry ? 'unknown' : lacks ? 'no-credential' : 'off'
  const { name: package_, version } = adapter.package
  return { name, adapter: adapter.id, kind, state, why, package: { name: package_, version }, variables }
}

type Wellbeing = Partial<Omit<ManagementProvider, 'name' | 'adapter' | 'kind' | 'families' | 'package' | 'why'>>

/**
 * Health of an enabled provider, its endpoints and its models: from the calls of all nodes, and with the cooldowns and
 * errors of this node. It is in cooldown if all endpoints are.
 */
function wellbeing(
  reports: readonly HealthReport[],
  calls: ProviderHealth | undefined,
  entry: Pick<ProviderEntry, 'endpoints'> = {},
): Wellbeing {
  const newest = reports.toSorted((one, other) => (other.lastError?.at ?? 0) - (one.lastError?.at ?? 0))
  const endpoints = endpointsOf(reports, entry, calls)
  const ends = endpoints.map(({ restsUntil }) => restsUntil)
  const restsUntil = ends.every((end) => end !== undefined) ? Math.min(...ends) : undefined
  const overruns = reports.flatMap(({ model, endpoint, overrun }) =>
    model === undefined || !overrun ? [] : [{ model, ...(endpoint !== undefined && { endpoint }), ...overrun }],
  )
  overruns.sort((one, other) => other.at - one.at)
  const troubled = troubledIn(newest)
  const lastError = newerOf(newest[0]?.lastError, calls?.lastError)
  return {
    state: stateIn(calls?.state ?? 'unknown', restsUntil !== undefined),
    ...(restsUntil !== undefined && { restsUntil }),
    ...(lastError && { lastError }),
    ...(calls && countsOf(calls)),
    endpoints,
    ...(troubled.length > 0 && { troubled: troubled.slice(0, TROUBLED) }),
    ...(overruns.length > 0 && { overruns: overruns.slice(0, TROUBLED) }),
  }
}

function countsOf({ calls, failed, saved, since, firstByteMs, minutes }: ProviderHealth): Wellbeing {
  return {
    calls,
    failed,
    saved,
    minutes,
    ...(since !== undefined && { since }),
    ...(firstByteMs && { p50FirstByteMs: firstByteMs.p50, p95FirstByteMs: firstByteMs.p95 }),
  }
}

/** Models in cooldown or with errors on this node. */
function troubledIn(reports: readonly HealthReport[]): NonNullable<ManagementProvider['troubled']> {
  return reports.flatMap(({ model, endpoint, restsUntil, lastError }) =>
    model === undefined || (restsUntil === undefined && !lastError)
      ? []
      : [
          {
            model,
            ...(endpoint !== undefined && { endpoint }),
            ...(restsUntil !== undefined && { restsUntil }),
            ...(lastError && { lastError }),
          },
        ],
  )
}

/** Newer one of two errors. A stored error names its request, so it is preferred to the same error of this node. */
function newerOf(own: HealthReport['lastError'], stored: ProviderHealth['lastError']): Wellbeing['lastError'] {
  return own && stored ? (own.at > stored.at + SAME_ERROR ? own : stored) : (stored ?? own)
}
