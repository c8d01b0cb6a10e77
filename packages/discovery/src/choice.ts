import { nearest } from '@headgate/core/provider'
import { HeadgateError } from '@headgate/gateway'
import type { Adapter, AdapterState, FoundAdapter, Instance, LoadedAdapter } from './adapter.ts'
import type { Description } from './description.ts'
import type { Environment } from './environment.ts'
import { environmentConfig, isAnySet, isGiven, variablesOf, variablesSet, variableToWrite } from './environment.ts'
import { adapterConfig, type EntryConfig, type Families, type Kind } from './kinds.ts'
import type { Probe } from './probe.ts'
import { configError, everyOf, type Problem, pathText, problemsOf, valueAt } from './problems.ts'

/** What there is of one kind. */
export interface Choice<I, C> {
  readonly adapters: readonly FoundAdapter<Adapter<I>>[]
  /** The part of the configuration that names them. */
  readonly configured: Readonly<Record<string, C>>
  readonly environment: Environment
}

type WholeChoice<I, C> = Choice<I, C> & { readonly probe: Probe; readonly families: Families }

/**
 * Decides which adapters are used: those that the configuration names first, in its order, then what the environment or
 * a probe enables. Loads them; of the others those alone of which the description does not say that they are not used.
 * @throws HeadgateError that lists the problems of all of them.
 */
export async function chooseAdapters<I extends Instance, C extends EntryConfig, E>(
  kind: Kind<I, C, E>,
  choice: WholeChoice<I, C>,
): Promise<AdapterState<I, E>[]> {
  const rest = choice.adapters.filter(({ id }) => !Object.hasOwn(choice.configured, id))
  const isLast = ({ description }: FoundAdapter<Adapter<I>>): boolean => description.enable === 'last-resort'
  const states = await everyOf([
    ...Object.keys(choice.configured).map((name) => namedState(kind, name, choice)),
    ...rest.filter((one) => !isLast(one)).map((adapter) => unnamedState(kind, adapter, choice)),
  ])
  const last = await everyOf(rest.filter(isLast).map((adapter) => lastResort(kind, adapter, states, choice)))
  return [...states, ...last]
}

/** What is used. */
export function enabledEntries<I, E>(states: readonly AdapterState<I, E>[]): E[] {
  return states.flatMap(({ entry }) => entry ?? [])
}

/** What the configuration, and for an entry that is named like its adapter the environment, gives an adapter. */
export function givenConfig<I, C extends EntryConfig>(
  own: readonly string[],
  { id, factory }: LoadedAdapter<Adapter<I>>,
  name: string,
  { configured, environment }: Choice<I, C>,
): Record<string, unknown> {
  return { ...(name === id && environmentConfig(factory, environment)), ...adapterConfig(configured[name] ?? {}, own) }
}

/** Where a configuration stands, for what is wrong with it. */
export interface Place {
  readonly path: readonly string[]
  /** Fields that are allowed there beside the adapter's. */
  readonly also: readonly string[]
  /** The adapter's own variables count here. */
  readonly takesEnvironment: boolean
}

/** An instance of an adapter. @throws HeadgateError that names the field. */
export function configure<I>(adapter: LoadedAdapter<Adapter<I>>, config: Record<string, unknown>, place: Place): I {
  const { factory } = adapter
  const result = factory.config.safeParse(config)
  if (result.success) return instance(adapter, config, place.path)
  const { path: at, also } = place
  const problems = problemsOf(result.error, { schema: factory.config, value: config, at, also, secret: () => true })
  throw configError(
    'The configuration',
    problems.map((problem) => withAdvice(problem, adapter, place)),
  )
}

async function namedState<I extends Instance, C extends EntryConfig, E>(
  kind: Kind<I, C, E>,
  name: string,
  choice: Choice<I, C>,
): Promise<AdapterState<I, E>> {
  const config: C | undefined = choice.configured[name]
  const { adapter: id = name, enabled } = config ?? {}
  const adapter = choice.adapters.find((one) => one.id === id)
  if (!adapter) throw notInstalled(kind, name, id, choice.adapters)
  if (enabled === false || !config) return { adapter, name, why: 'switched off by the configuration' }

  const place = { path: [...kind.at, name], also: kind.own, takesEnvironment: name === id }
  const loaded = await adapter.load()
  const made = configure(loaded, givenConfig(kind.own, loaded, name, choice), place)
  return { adapter, name, entry: kind.entry(made, name, config), why: 'named by the configuration' }
}

async function unnamedState<I extends Instance, C extends EntryConfig, E>(
  kind: Kind<I, C, E>,
  adapter: FoundAdapter<Adapter<I>>,
  { environment, probe }: WholeChoice<I, C>,
): Promise<AdapterState<I, E>> {
  const { id, description } = adapter
  const off = (why: string): AdapterState<I, E> => ({ adapter, name: id, why })
  const decided = whyUnused(kind.at, description, environment)
  if (decided !== undefined) return off(decided)
  const silent = (baseUrl = 'its address'): AdapterState<I, E> => off(`nothing answers at ${baseUrl}`)
  const asked = isAnySet(description, environment) ? undefined : description.probe
  if (asked && !(await probe({ method: asked.method, url: asked.url }, asked.baseUrl))) return silent(asked.baseUrl)

  const loaded = await adapter.load()
  const { factory } = loaded
  const value = environmentConfig(factory, environment)
  const missing = missingFields(loaded, value)
  if (missing.length > 0) return off(missing.join('; '))
  const made = instance(loaded, value, [...kind.at, id])
  if (!asked && factory.probe && !(await probe(factory.probe(value), made.baseUrl))) return silent(made.baseUrl)
  const variables = variablesSet(factory, environment)
  const why = variables.length > 0 ? `${variables.join(' and ')} set` : 'needs no configuration'
  return { adapter, name: id, entry: kind.entry(made, id, {}), why }
}

async function lastResort<I extends Instance, C extends EntryConfig, E>(
  kind: Kind<I, C, E>,
  adapter: FoundAdapter<Adapter<I>>,
  states: readonly AdapterState<I, E>[],
  { environment, families: all }: WholeChoice<I, C>,
): Promise<AdapterState<I, E>> {
  const { id, description } = adapter
  const beside = (families: readonly string[]): AdapterState<I, E> | undefined => {
    const better = states.find(
      ({ entry }) => entry && kind.families(entry, all).some((family) => families.includes(family)),
    )
    return better && { adapter, name: id, why: `only while nothing else is enabled; ${better.name} is` }
  }
  const decided = beside(description.families ?? [])
  if (decided) return decided
  const loaded = await adapter.load()
  const config = environmentConfig(loaded.factory, environment)
  const entry = kind.entry(instance(loaded, config, [...kind.at, id]), id, {})
  const unused = beside(kind.families(entry, all))
  if (unused) return unused
  const offered = Object.keys(config).length === 0 ? kind.offers?.(entry) : undefined
  return { adapter, name: id, entry, why: `nothing else is enabled${offered ? `: ${offered}` : ''}` }
}

/** The field of the credential that asks for an adapter, where the environment has it. */
const KEY = 'apiKey'

/** Why an adapter that nothing names is not used, by what it says of itself; undefined = it may be. */
function whyUnused(at: readonly string[], description: Description, environment: Environment): string | undefined {
  const { enable, requires, needs } = description
  if (enable === 'asked') return isGiven(description, KEY, environment) ? undefined : unasked(at, description)
  // What is set may be wrong, and is looked at.
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
  return `${needsNothing ? 'works without a key, ' : ''}used only when the configuration names it (\`${entry}\`)${key}`
}

/** What is missing before the adapter can be used, in words. A value that is there and wrong is an error instead. */
function missingFields<I>({ factory }: LoadedAdapter<Adapter<I>>, value: Record<string, string>): string[] {
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

function instance<I>(
  { factory, id }: LoadedAdapter<Adapter<I>>,
  config: Record<string, unknown>,
  path: readonly string[],
): I {
  try {
    return factory(config)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const param = pathText(path)
    throw new HeadgateError(
      'invalid-request',
      `${param}: the adapter "${id}" does not accept its configuration: ${reason}`,
      { param },
    )
  }
}

function withAdvice<I>(
  { path, message }: Problem,
  { factory }: LoadedAdapter<Adapter<I>>,
  { takesEnvironment }: Place,
): Problem {
  const field = path.split('.').at(-1) ?? ''
  const variables = variablesOf(factory, field)
  if (!message.startsWith('is missing') || !variables) return { path, message }
  const variable = variableToWrite(factory, field)
  const example = variable === undefined ? '' : `, such as "\${${variable}}"`
  const advice = takesEnvironment ? `set ${variables}, or write it here` : `write it here${example}`
  return { path, message: `${message}; ${advice}` }
}

function asksForBaseUrlOnly({ requires, needs }: Description): boolean {
  return needs === undefined && requires.length === 1 && requires[0] === 'baseUrl'
}

function notInstalled<I extends Instance, C extends EntryConfig, E>(
  { at, packages, general }: Kind<I, C, E>,
  name: string,
  id: string,
  adapters: readonly FoundAdapter<Adapter<I>>[],
): HeadgateError {
  const known = adapters.map((one) => one.id).sort()
  const param = pathText([...at, name])
  const near = nearest(id, known)
  const one = general === undefined ? undefined : adapters.find(({ description }) => asksForBaseUrlOnly(description))
  const advice = [
    ...(near === undefined ? [] : [`Did you mean "${near}"?`]),
    `Install it with \`npm install ${packages}${id}\`, or use one that is: ${known.join(', ')}.`,
    ...(one
      ? [
          `If there is no such package and the server speaks ${general}, write "adapter": "${one.id}" and its "baseUrl" into the entry.`,
        ]
      : []),
  ]
  const message = `${param}: the adapter "${id}" is not installed. ${advice.join(' ')}`
  return new HeadgateError('invalid-request', message, { param })
}
