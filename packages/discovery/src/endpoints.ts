import type { EndpointEntry } from '@headgate/gateway'
import type { AdapterFactory, LoadedAdapter } from './adapter.ts'
import { configure } from './configure.ts'
import { adapterConfig, type ConfiguredEndpoint, type EndpointConfig, type EndpointList } from './kinds.ts'
import { type ConfigProblem, configError, hasField, pathText, together } from './problems.ts'

/** Fields of an endpoint that do not belong to the adapter. */
const OWN: readonly string[] = ['name', 'weight', 'priority', 'region', 'labels', 'group', 'models', 'limits']
/** Label that some adapters have as a field. */
const REGION = 'region'
const KEY = 'apiKey'

/** Entry of a provider with the defaults of its endpoints. */
export interface EndpointDefaults {
  readonly list: EndpointList
  /** Adapter fields of the environment and the entry. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Path of the entry in the configuration. */
  readonly path: readonly string[]
  /** Fields of an entry that do not belong to the adapter. */
  readonly own: readonly string[]
  /** True if the adapter's own variables apply. */
  readonly takesEnvironment: boolean
}

/** Endpoint as configured. */
interface EndpointPart {
  readonly config: EndpointConfig
  /** Location in the configuration. */
  readonly path: readonly PropertyKey[]
  /** Fields that it may have in addition to the adapter's. */
  readonly also: readonly string[]
  /** Location of a field. */
  pathOf(field: PropertyKey): readonly PropertyKey[]
}

/**
 * Endpoints of an entry, each with an instance of the adapter; undefined if the entry itself is the only endpoint.
 * @throws HeadgateError that lists the problems of all endpoints.
 */
export function configuredEndpoints<I>(
  adapter: LoadedAdapter<AdapterFactory<I>>,
  defaults: EndpointDefaults,
): readonly [ConfiguredEndpoint<I>, ...ConfiguredEndpoint<I>[]] | undefined {
  const parts = partsOf(defaults)
  if (!parts) return undefined
  const errors: unknown[] = []
  const endpoints = parts.flatMap((part, index) => {
    try {
      return [endpointOf(adapter, part, index, defaults)]
    } catch (error) {
      errors.push(error)
      return []
    }
  })
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : together(errors)
  checkNames(endpoints, parts)
  const [first, ...more] = endpoints
  return first && [first, ...more]
}

function partsOf({ list: { endpoints, apiKey }, path, own }: EndpointDefaults): EndpointPart[] | undefined {
  const keys: readonly unknown[] | undefined = Array.isArray(apiKey) ? apiKey : undefined
  if (endpoints && keys) throw wrong([...path, KEY], 'found a list; allowed: a string, because the entry has endpoints')
  if (endpoints?.length === 0) throw wrong([...path, 'endpoints'], 'found an empty list; allowed: at least one entry')
  if (keys?.length === 0) throw wrong([...path, KEY], 'found an empty list; allowed: at least one string')
  if (endpoints)
    return endpoints.map((one, index) => {
      const at = [...path, 'endpoints', index]
      return { config: one, path: at, also: OWN, pathOf: (field) => [...at, field] }
    })
  return keys?.map((one, index) => ({
    config: { [KEY]: one },
    path,
    also: own,
    pathOf: (field) => (field === KEY ? [...path, KEY, index] : [...path, field]),
  }))
}

function endpointOf<I>(
  adapter: LoadedAdapter<AdapterFactory<I>>,
  part: EndpointPart,
  index: number,
  { fields, path, own, takesEnvironment }: EndpointDefaults,
): ConfiguredEndpoint<I> {
  const isRegional = hasField(adapter.factory.config, REGION)
  const given = adapterConfig(part.config, isRegional ? OWN.filter((field) => field !== REGION) : OWN)
  const all = { ...fields, ...given }
  const isDefault = (field: PropertyKey): boolean => Object.hasOwn(fields, field) && !Object.hasOwn(given, field)
  const provider = configure(adapter, all, {
    path: part.path,
    pathOf: ([field, ...rest]) => {
      if (field === undefined) return part.path
      return [...(isDefault(field) ? [...path, field] : part.pathOf(field)), ...rest]
    },
    also: (field) => (isDefault(field) ? own : part.also),
    takesEnvironment,
  })
  const { name, weight, priority, region, group, models, limits } = part.config
  const labels = labelsOf(part.config, isRegional ? all[REGION] : undefined)
  return { name: name ?? defaultName(region, index), provider, weight, priority, labels, group, models, limits }
}

/** Labels of an endpoint. @param region region of the adapter */
function labelsOf({ labels = {}, region: own }: EndpointConfig, region: unknown): EndpointEntry['labels'] {
  const texts = Object.entries(labels).map(([label, value]): [string, string] => [label, String(value)])
  const known = own ?? region
  const all = typeof known === 'string' ? [...texts, [REGION, known] as const] : texts
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

/** Region in lower case if it can be a name, else the position, from 1. */
function defaultName(region: string | undefined, index: number): string {
  const name = region?.toLowerCase() ?? ''
  return /^[a-z0-9][a-z0-9-]*$/.test(name) ? name : String(index + 1)
}

/** @throws HeadgateError if two endpoints have the same name. */
function checkNames(endpoints: readonly { readonly name: string }[], parts: readonly EndpointPart[]): void {
  const pathOf = (index: number): string => pathText(parts[index]?.path ?? [])
  const problems = endpoints.flatMap(({ name }, index): ConfigProblem[] => {
    const first = endpoints.findIndex((one) => one.name === name)
    if (first === index) return []
    const message = `is ${JSON.stringify(name)}, as the name of ${pathOf(first)}; allowed: a different name for each endpoint`
    return [{ path: `${pathOf(index)}.name`, message }]
  })
  if (problems.length > 0) throw configError('The configuration', problems)
}

function wrong(path: readonly PropertyKey[], message: string): Error {
  return configError('The configuration', [{ path: pathText(path), message }])
}
