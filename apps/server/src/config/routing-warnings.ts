import { enabledEntries } from '@headgate/discovery'
import { pathText } from '@headgate/discovery/config'
import type { ProviderEntry } from '@headgate/gateway'
import { type KnownModels, knownModels, mayUse } from '@headgate/gateway/operate'
import type { Inventory } from '../service/inventory.ts'
import { aliasOptions } from './aliases.ts'
import type { Settings } from './settings.ts'

/** Label in a bound: its path, and its name and value. */
interface RequiredLabel {
  readonly path: readonly PropertyKey[]
  readonly entry: string
}

/**
 * Warnings about valid but probably mistaken endpoints and bounds, one sentence each: patterns of models that match
 * nothing, endpoints with the same credential, labels that no endpoint has, and names of other providers.
 */
export function routingWarnings(settings: Settings, { providers }: Pick<Inventory, 'providers'>): string[] {
  const entries = enabledEntries(providers)
  const known = knownModels(entries)
  return [
    ...entries.flatMap((entry) => modelWarnings(entry, known)),
    ...entries.flatMap((entry) => credentialWarnings(entry, settings)),
    ...labelWarnings(settings, entries),
    ...sameWarnings(settings, entries),
  ]
}

function nameOf({ name, provider }: ProviderEntry): string {
  return name ?? provider.name
}

/** Warnings about patterns of an endpoint that match no known model. */
function modelWarnings(entry: ProviderEntry, known: KnownModels): string[] {
  const provider = nameOf(entry)
  const prefix = `${provider}/`
  const models = known.priced.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
  const isOpen = known.open.includes(provider)
  return (entry.endpoints ?? []).flatMap(({ models: patterns = [] }, index) =>
    patterns.flatMap((pattern, at) => {
      // A provider that accepts any name can have a model of this name, but a pattern for none of its models is odd.
      const isPlausible = isOpen && (!pattern.includes('*') || models.length === 0)
      if (isPlausible || models.some((model) => mayUse([pattern], model))) return []
      const path = pathText(['providers', provider, 'endpoints', index, 'models', at])
      return [`${path}: no known model of ${provider} matches ${JSON.stringify(pattern)}.`]
    }),
  )
}

/** Fields of a provider and its endpoints that say nothing about the credential. */
const OTHERS = ['name', 'weight', 'priority', 'region', 'labels', 'group', 'models', 'limits', 'baseUrl', 'endpoints']

/** Warnings about endpoints of a provider with the same credential and base URL. Their values are not shown. */
function credentialWarnings(entry: ProviderEntry, { config }: Settings): string[] {
  const given = config.providers?.[nameOf(entry)]
  const { endpoints, apiKey } = given ?? {}
  const list = endpoints ?? (Array.isArray(apiKey) ? apiKey.map((one) => ({ apiKey: one })) : [])
  const identities = list.map((one, index) => {
    const fields = Object.entries({ ...given, ...one }).filter(([field]) => !OTHERS.includes(field))
    return JSON.stringify([entry.endpoints?.[index]?.provider?.baseUrl, fields.sort()])
  })
  const groupOf = (index: number): string | undefined => entry.endpoints?.[index]?.group
  const pathOf = (index: number): string =>
    pathText(['providers', nameOf(entry), endpoints ? 'endpoints' : 'apiKey', index])
  return identities.flatMap((identity, index) => {
    const first = identities.indexOf(identity)
    const group = groupOf(index)
    if (first === index || (group !== undefined && group === groupOf(first))) return []
    const advice = endpoints ? 'Remove one, or give both the same `group`.' : 'Remove one.'
    return [
      `${pathOf(index)}: the credential and the base URL are the same as of ${pathOf(first)}, so both share the limits of one account. ${advice}`,
    ]
  })
}

/** Warnings about labels in bounds that no endpoint has: nothing can serve these requests. */
function labelWarnings({ config, keys }: Settings, entries: readonly ProviderEntry[]): string[] {
  const known = new Set(
    entries.flatMap(({ endpoints = [] }) =>
      endpoints.flatMap(({ labels = {} }) => Object.entries(labels).map(([label, value]) => `${label}=${value}`)),
    ),
  )
  const ofAliases = Object.entries(config.models ?? {}).flatMap(([name, alias]) => {
    const labels = aliasOptions(alias)?.labels ?? {}
    return Object.entries(labels).flatMap(([label, values]) =>
      [values]
        .flat()
        .map((value): RequiredLabel => ({ path: ['models', name, 'labels', label], entry: `${label}=${value}` })),
    )
  })
  const ofKeys = keys.flatMap(({ labels = [] }, index) =>
    labels.map((entry, at): RequiredLabel => ({ path: ['keys', index, 'labels', at], entry })),
  )
  return [...ofAliases, ...ofKeys].flatMap(({ path, entry }) =>
    known.has(entry) ? [] : [`${pathText(path)}: no endpoint of an enabled provider has the label ${entry}.`],
  )
}

/** Warnings about additional names of models at providers that do not exist. */
function sameWarnings({ config: { routing = {} } }: Settings, entries: readonly ProviderEntry[]): string[] {
  const { same } = routing
  if (typeof same !== 'object' || Array.isArray(same)) return []
  const providers = entries.map(nameOf)
  return Object.entries(same.add ?? {}).flatMap(([model, names]) =>
    names.flatMap((name, index) => {
      const provider = name.slice(0, name.indexOf('/'))
      if (providers.includes(provider)) return []
      const path = pathText(['routing', 'same', 'add', model, index])
      return [`${path}: no enabled provider has the name ${JSON.stringify(provider)}.`]
    }),
  )
}
