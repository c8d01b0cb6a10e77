import { nearest } from '@headgate/core/provider'
import { HeadgateError } from '@headgate/gateway'
import type { AdapterFactory, AdapterInstance, AdapterState, FoundAdapter, LoadedAdapter } from './adapter.ts'
import { configure, createInstance } from './configure.ts'
import type { Description } from './description.ts'
import { configuredEndpoints } from './endpoints.ts'
import type { Environment } from './environment.ts'
import { environmentConfig, isAnySet, isGiven, variablesOf, variablesSet } from './environment.ts'
import { type AdapterKindSpec, adapterConfig, type EntryConfig, type Families } from './kinds.ts'
import type { Probe } from './probe.ts'
import { configError, everyOf, pathText, problemsOf, valueAt } from './problems.ts'

/** Installed adapters of one kind and their configuration. */
export interface AdapterChoice<I, C> {
  readonly adapters: readonly FoundAdapter<AdapterFactory<I>>[]
  /** Configured entries by name. */
  readonly configured: Readonly<Record<string, C>>
  readonly environment: Environment
}

type WholeChoice<I, C> = AdapterChoice<I, C> & { readonly probe: Probe; readonly families: Families }

/**
 * Decides which adapters are enabled: first the configured ones in their order, then adapters enabled by the environment or a
 * probe. Loads only adapters whose description does not already exclude them.
 * @throws HeadgateError that lists the problems of all adapters.
 */
export async function chooseAdapters<I extends AdapterInstance, C extends EntryConfig, E>(
  kind: AdapterKindSpec<I, C, E>,
  choice: WholeChoice<I, C>,
): Promise<AdapterState<I, E>[]> {
  const rest = choice.adapters.filter(({ id }) => !Object.hasOwn(choice.configured, id))
  const isLast = ({ description }: FoundAdapter<AdapterFactory<I>>): boolean => description.enable === 'last-resort'
  const states = await everyOf([
    ...Object.keys(choice.configured).map((name) => namedState(kind, name, choice)),
    ...rest.filter((one) => !isLast(one)).map((adapter) => unnamedState(kind, adapter, choice)),
  ])
  const last = await everyOf(rest.filter(isLast).map((adapter) => lastResort(kind, adapter, states, choice)))
  return [...states, ...last]
}

/** Entries of the enabled adapters. */
export function enabledEntries<I, E>(states: readonly AdapterState<I, E>[]): E[] {
  return states.flatMap(({ entry }) => entry ?? [])
}

/** Configuration of an adapter, combined with the environment if the entry has the adapter's name. */
export function givenConfig<I, C extends EntryConfig>(
  own: readonly string[],
  { id, factory }: LoadedAdapter<AdapterFactory<I>>,
  name: string,
  { configured, environment }: AdapterChoice<I, C>,
): Record<string, unknown> {
  return { ...(name === id && environmentConfig(factory, environment)), ...adapterConfig(configured[name] ?? {}, own) }
}

async function namedState<I extends AdapterInstance, C extends EntryConfig, E>(
  kind: AdapterKindSpec<I, C, E>,
  name: string,
  choice: AdapterChoice<I, C>,
): Promise<AdapterState<I, E>> {
  const config: C | undefined = choice.configured[name]
  const { adapter: id = name, enabled } = config ?? {}
  const adapter = choice.adapters.find((one) => one.id === id)
  if (!adapter) throw notInstalled(kind, name, id, choice.adapters)
  if (enabled === false || !config) return { adapter, name, why: 'disabled by the configuration' }

  const loaded = await adapter.load()
  const fields = givenConfig(kind.own, loaded, name, choice)
  const place = { path: [...kind.at, name], takesEnvironment: name === id }
  const list = kind.endpointsOf?.(config)
  const endpoints = list && configuredEndpoints(loaded, { ...place, list, fields, own: kind.own })
  const entry = endpoints
    ? kind.entry(endpoints[0].provider, name, config, endpoints)
    : kind.entry(configure(loaded, fields, { ...place, also: kind.own }), name, config)
  return { adapter, name, entry, why: 'named by the configuration' }
}

async function unnamedState<I extends AdapterInstance, C extends EntryConfig, E>(
  kind: AdapterKindSpec<I, C, E>,
  adapter: FoundAdapter<AdapterFactory<I>>,
  { environment, probe }: WholeChoice<I, C>,
): Promise<AdapterState<I, E>> {
  const { id, description } = adapter
  const off = (why: string): AdapterState<I, E> => ({ adapter, name: id, why })
  const decided = whyUnused(kind.at, description, environment)
  if (decided !== undefined) return off(decided)
  const silent = (baseUrl = 'its address'): AdapterState<I, E> => off(`nothing responds at ${baseUrl}`)
  const asked = isAnySet(description, environment) ? undefined : description.probe
  if (asked && !(await probe({ method: asked.method, url: asked.url }, asked.baseUrl))) return silent(asked.baseUrl)

  const loaded = await adapter.load()
  const { factory } = loaded
  const value = environmentConfig(factory, environment)
  const missing = missingFields(loaded, value)
  if (missing.length > 0) return off(missing.join('; '))
  const made = createInstance(loaded, value, [...kind.at, id])
  if (!asked && factory.probe && !(await probe(factory.probe(value), made.baseUrl))) return silent(made.baseUrl)
  const variables = variablesSet(factory, environment)
  const why = variables.length > 0 ? `${variables.join(' and ')} set` : 'needs no configuration'
  return { adapter, name: id, entry: kind.entry(made, id, {}), why }
}

async function lastResort<I extends AdapterInstance, C extends EntryConfig, E>(
  kind: AdapterKindSpec<I, C, E>,
  adapter: FoundAdapter<AdapterFactory<I>>,
  states: readonly AdapterState<I, E>[],
  { environment, families: all }: WholeChoice<I, C>,
): Promise<AdapterState<I, E>> {
  const { id, description } = adapter
  const beside = (families: readonly string[]): AdapterState<I, E> | undefined => {
    const better = states.find(
      ({ entry }) => entry && kind.families(entry, all).some((family) => families.includes(family)),
    )
    return better && { adapter, name: id, why: `enabled only as a last resort; ${better.name} is enabled` }
  }
  const decided = beside(description.families ?? [])
  if (decided) return decided
  const loaded = await adapter.load()
  const config = environmentConfig(loaded.factory, environment)
  const entry = kind.entry(createInstance(loaded, config, [...kind.at, id]), id, {})
  const unused = beside(kind.families(entry, all))
  if (unused) return unused
  const offered = Object.keys(config).length === 0 ? kind.offers?.(entry) : undefined
  return { adapter, name: id, entry, why: `nothing else is enabled${offered ? `: ${offered}` : ''}` }
}

/** Credential field that enables an adapter if the environment sets it. */
const KEY = 'apiKey'

/** Reason why an unconfigured adapter is not enabled, from its description; undefined = it may be enabled. */
function whyUnused(at: readonly string[], description: Description, environment: Environment): string | undefined {
  const { enable, requires, needs } = description
  if (enable === 'asked') return isGiven(description, KEY, environment) ? undefined : unasked(at, description)
  // A set variable may be invalid and needs a check.
  if (isAnySet(description, environment)) return undefined
  const missing = requires.filter((field) => !isGiven(description, field, environment))
  if (missing.length > 0)
    return missing.map((field) => `${variablesOf(description, field) ?? field} is not set`).join('; ')
  return Object.keys(description.env).some((field) => isGiven(description, field, environment)) ? undefined : needs
}

function unasked(at: readonly string[], description: Description): string {
  const { id, requires, needs } = description
  const needsNothing = requires.length === 0 && needs === undefined
  const entry = `${[...at, id].join('.')}${needsNothing ? ': {}' : ''}`
  const variables = variablesOf(description, KEY)
  const key = variables ? `, or with ${variables}` : ''
  return `${needsNothing ? 'works without a key, ' : ''}enabled only if the configuration names it (\`${entry}\`)${key}`
}

/** Missing settings of an adapter, as text. An invalid value is an error instead. */
function missingFields<I>({ factory }: LoadedAdapter<AdapterFactory<I>>, value: Record<string, string>): string[] {
  const result = factory.config.safeParse(value)
  if (result.success) return []
  const isMissing = ({ path }: { path: PropertyKey[] }) => valueAt(value, path) === undefined || path.length === 0
  if (result.error.issues.every(isMissing)) {
    return result.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${variablesOf(factory, pathText(path)) ?? pathText(path)} is not set`,
    )
  }
  const problems = problemsOf(result.error, { schema: factory.config, value, secret: () => true })
  throw configError(
    'The environment',
    problems.map(({ path, message }) => ({ path: variablesOf(factory, path) ?? path, message })),
  )
}

function asksForBaseUrlOnly({ requires, needs }: Description): boolean {
  return needs === undefined && requires.length === 1 && requires[0] === 'baseUrl'
}

export function notInstalled<I>(
  {
    at,
    packages,
    general,
  }: Pick<AdapterKindSpec<AdapterInstance, EntryConfig, unknown>, 'at' | 'packages' | 'general'>,
  name: string,
  id: string,
  adapters: readonly FoundAdapter<AdapterFactory<I>>[],
): HeadgateError {
  const known = adapters.map((one) => one.id).sort()
  const param = pathText([...at, name])
  const near = nearest(id, known)
  const one = general === undefined ? undefined : adapters.find(({ description }) => asksForBaseUrlOnly(description))
  const advice = [
    ...(near === undefined ? [] : [`Did you mean "${near}"?`]),
    `Install it with \`npm install ${packages}${id}\`, or use an installed one: ${known.join(', ')}.`,
    ...(one
      ? [
          `If this package does not exist and the server supports ${general}, set "adapter": "${one.id}" and its "baseUrl" in the entry.`,
        ]
      : []),
  ]
  const message = `${param}: the adapter "${id}" is not installed. ${advice.join(' ')}`
  return new HeadgateError('invalid-request', message, { param })
}
