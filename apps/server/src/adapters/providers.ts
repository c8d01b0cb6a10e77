import { HeadgateError, type ProviderEntry, type ProviderInstance } from '@headgate/core'
import { configError, type Problem, pathText, problemsOf, valueAt } from '../config/problem.ts'
import type { ProviderConfig } from '../config/schema.ts'
import type { Environment } from '../config/substitution.ts'
import { environmentConfig, variablesOf, variablesSet } from './environment.ts'
import type { Probe } from './probe.ts'
import type { LoadedAdapter } from './registry.ts'

/** Whether a provider of an adapter is used, and why. */
export interface ProviderState {
  readonly adapter: LoadedAdapter
  /** Name of the provider. */
  readonly name: string
  /** Present when it is used. */
  readonly entry?: ProviderEntry
  readonly why: string
}

export interface ProvidersInput {
  readonly adapters: readonly LoadedAdapter[]
  /** The part `providers` of the configuration. */
  readonly configured: Readonly<Record<string, ProviderConfig>>
  readonly environment: Environment
  readonly probe: Probe
}

/** Decides which providers are used: those that the configuration names first, in its order, then what the environment or a probe enables. */
export async function chooseProviders(input: ProvidersInput): Promise<ProviderState[]> {
  const named = Object.entries(input.configured).map(([name, config]) => namedProvider(name, config, input))
  const rest = input.adapters.filter(({ id }) => !named.some(({ name }) => name === id))
  const others = await Promise.all(
    rest.filter(({ factory }) => factory.enable !== 'last-resort').map((adapter) => unnamedProvider(adapter, input)),
  )
  const states = [...named, ...others]
  const last = rest.filter(({ factory }) => factory.enable === 'last-resort').map((adapter) => lastResort(adapter, states, input))
  return [...states, ...last]
}

/** The providers that are used. */
export function enabledProviders(states: readonly ProviderState[]): ProviderEntry[] {
  return states.flatMap(({ entry }) => entry ?? [])
}

function namedProvider(
  name: string,
  { adapter: id = name, enabled, models, ...config }: ProviderConfig,
  input: ProvidersInput,
): ProviderState {
  const adapter = input.adapters.find((one) => one.id === id)
  if (!adapter) throw notInstalled(name, id, input.adapters)
  if (enabled === false) return { adapter, name, why: 'switched off by the configuration' }

  const value = { ...(name === id && environmentConfig(adapter.factory, input.environment)), ...config }
  const result = adapter.factory.config.safeParse(value)
  if (!result.success) {
    const also = ['adapter', 'enabled', 'models']
    const problems = problemsOf(result.error, { schema: adapter.factory.config, value, at: ['providers', name], also, secret: () => true })
    throw configError(
      'The configuration',
      problems.map((problem) => withAdvice(problem, name, adapter)),
    )
  }
  return {
    adapter,
    name,
    entry: { provider: instance(adapter, value, name), name, ...(models && { models }) },
    why: 'named by the configuration',
  }
}

async function unnamedProvider(adapter: LoadedAdapter, { environment, probe }: ProvidersInput): Promise<ProviderState> {
  const { id, factory } = adapter
  const off = (why: string): ProviderState => ({ adapter, name: id, why })
  if (factory.enable === 'asked') return off(`used only when the configuration names it: providers.${id}`)

  const value = environmentConfig(factory, environment)
  const missing = missingFields(adapter, value)
  if (missing.length > 0) return off(missing.join('; '))

  const provider = instance(adapter, value, id)
  if (factory.probe && !(await probe(factory.probe(value), provider.baseUrl)))
    return off(`nothing answers at ${provider.baseUrl ?? 'its address'}`)
  const variables = variablesSet(factory, environment)
  return { adapter, name: id, entry: { provider }, why: variables.length > 0 ? `${variables.join(' and ')} set` : 'needs no configuration' }
}

function lastResort(adapter: LoadedAdapter, states: readonly ProviderState[], { environment }: ProvidersInput): ProviderState {
  const { id, factory } = adapter
  const provider = instance(adapter, environmentConfig(factory, environment), id)
  const better = states.find(({ entry }) => entry && families(entry.provider).some((family) => families(provider).includes(family)))
  if (better) return { adapter, name: id, why: `only while nothing else is enabled; ${better.name} is` }
  return { adapter, name: id, entry: { provider }, why: 'nothing else is enabled' }
}

function families(provider: ProviderInstance): string[] {
  return (['chat', 'embeddings', 'video'] as const).filter((family) => provider[family] !== undefined)
}

/** What is missing before the adapter can be used, in words. A value that is there and wrong is an error instead. */
function missingFields(adapter: LoadedAdapter, value: Record<string, string>): string[] {
  const result = adapter.factory.config.safeParse(value)
  if (result.success) return []
  const isMissing = ({ path }: { path: PropertyKey[] }) => valueAt(value, path) === undefined || path.length === 0
  if (result.error.issues.every(isMissing)) {
    return result.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${variablesOf(adapter.factory, pathText(path)) ?? pathText(path)} is not set`,
    )
  }
  const problems = problemsOf(result.error, { schema: adapter.factory.config, value, secret: () => true })
  throw configError(
    'The environment',
    problems.map(({ path, message }) => ({ path: variablesOf(adapter.factory, path) ?? path, message })),
  )
}

function instance({ factory, id }: LoadedAdapter, config: Record<string, unknown>, name: string): ProviderInstance {
  try {
    return factory(config)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HeadgateError('invalid-request', `providers.${name}: the adapter "${id}" does not accept its configuration: ${reason}`, {
      param: `providers.${name}`,
    })
  }
}

function withAdvice({ path, message }: Problem, name: string, { id, factory }: LoadedAdapter): Problem {
  const field = path.split('.').at(-1) ?? ''
  const variables = variablesOf(factory, field)
  if (!message.startsWith('is missing') || !variables) return { path, message }
  const advice = name === id ? `set ${variables}, or write it here` : `write it here, such as "\${${variables.split(' ')[0]}}"`
  return { path, message: `${message}; ${advice}` }
}

function notInstalled(name: string, id: string, adapters: readonly LoadedAdapter[]): HeadgateError {
  const known = adapters.map((one) => one.id).sort()
  const message = `providers.${name}: the adapter "${id}" is not installed. Install it with \`npm install @headgate/provider-${id}\`, or use one that is: ${known.join(', ')}.`
  return new HeadgateError('invalid-request', message, { param: `providers.${name}` })
}
