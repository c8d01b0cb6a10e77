import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CONTRACT } from '@headgate/core/provider'
import { HeadgateError } from '@headgate/gateway'
import type { AnyAdapter, FoundAdapter, LoadedAdapter } from './adapter.ts'
import { type Description, descriptionOf, readDescription } from './description.ts'
import { entryFile } from './entry.ts'
import type { AdapterPackage } from './manifest.ts'

export interface RegistryOptions {
  /** Ids or package names of the allowed adapters of both kinds. */
  readonly only?: readonly string[] | undefined
  readonly fromSource: boolean
}

/**
 * Adapters in the packages. Packages without a description are imported. Adapters excluded by `only` may have another
 * contract or duplicate ids.
 */
export async function findAdapters(
  packages: readonly AdapterPackage[],
  { only, fromSource }: RegistryOptions,
): Promise<FoundAdapter[]> {
  const found = await Promise.all(packages.map((one) => describedOrLoaded(one, fromSource)))
  const wanted = only ? found.filter(({ id, package: { name } }) => only.includes(id) || only.includes(name)) : found
  checkList(only ?? [], found)
  const used = wanted.filter((one) => !givesWay(one, wanted))
  checkTwice(used)
  return used.map((one) => ('factory' in one ? checkContract(one) : lazy(one, fromSource)))
}

/** True if an adapter named by a dependency has the same id and kind as a directly installed one. */
function givesWay(
  { id, package: { namedBy, kind } }: DescribedAdapter | LoadedFactory,
  all: readonly (DescribedAdapter | LoadedFactory)[],
): boolean {
  return (
    namedBy !== undefined &&
    all.some((other) => other.id === id && other.package.kind === kind && other.package.namedBy === undefined)
  )
}

type Factory = ((config: never) => unknown) & { readonly kind: string; readonly contract: number; readonly id: string }

interface DescribedAdapter {
  readonly id: string
  readonly package: AdapterPackage
  readonly description: Description
}

interface LoadedFactory {
  readonly id: string
  readonly package: AdapterPackage
  readonly factory: Factory
}

async function describedOrLoaded(
  adapter: AdapterPackage,
  fromSource: boolean,
): Promise<DescribedAdapter | LoadedFactory> {
  const description = readDescription(adapter.headgate, join(adapter.path, 'package.json'))
  return description ? { id: description.id, package: adapter, description } : loadFactory(adapter, fromSource)
}

function lazy({ id, package: adapter, description }: DescribedAdapter, fromSource: boolean): FoundAdapter {
  let loading: Promise<LoadedAdapter> | undefined
  const load = async (): Promise<LoadedAdapter> => {
    const found = await loadFactory(adapter, fromSource)
    if (found.id !== id)
      throw refused(adapter, `has "headgate": { "id": "${id}" } in its package.json, but exports "${found.id}"`)
    return checkContract(found)
  }
  return { id, package: adapter, description, load: () => (loading ??= load()) }
}

/** Loaded versions of packages by folder. A process never loads a module twice. */
const loaded = new Map<string, string>()

/** Packages with another installed version than the loaded one, one sentence each. */
export function outdated(packages: readonly Pick<AdapterPackage, 'name' | 'version' | 'path'>[]): string[] {
  return packages.flatMap(({ name, version, path }) => {
    const runs = loaded.get(path)
    return runs === undefined || runs === version
      ? []
      : [`${name} ${version} is installed, but ${runs} is running. Restart to use the new version.`]
  })
}

async function loadFactory(adapter: AdapterPackage, fromSource: boolean): Promise<LoadedFactory> {
  const module = await importEntry(adapter, entryFile(adapter, fromSource))
  if (!loaded.has(adapter.path)) loaded.set(adapter.path, adapter.version)
  const [factory, ...more] = new Set(Object.values(module).filter(isFactory))
  if (!factory)
    throw refused(adapter, 'exports no adapter (the result of `defineProvider`, `defineSearchBackend` or `defineSink`)')
  if (more.length > 0)
    throw refused(
      adapter,
      `exports ${more.length + 1} adapters (${[factory, ...more].map(({ id }) => id).join(', ')}); allowed: one`,
    )
  if (factory.kind !== adapter.kind) {
    throw refused(
      adapter,
      `has "headgate": { "adapter": "${adapter.kind}" } in its package.json, but exports an adapter of kind "${factory.kind}"`,
    )
  }
  return { id: factory.id, package: adapter, factory }
}

async function importEntry(adapter: AdapterPackage, file: string): Promise<Record<string, unknown>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href)
  } catch (error) {
    throw new HeadgateError(
      'invalid-request',
      `${named(adapter)} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}

function isFactory(value: unknown): value is Factory {
  return (
    typeof value === 'function' &&
    'kind' in value &&
    'contract' in value &&
    'id' in value &&
    typeof value.id === 'string'
  )
}

function checkList(only: readonly string[], found: readonly (DescribedAdapter | LoadedFactory)[]): void {
  const missing = only.find(
    (name) => !found.some(({ id, package: { name: packageName } }) => id === name || packageName === name),
  )
  if (missing === undefined) return
  const known = found.map(({ id }) => id).sort()
  throw new HeadgateError(
    'invalid-request',
    `adapters: found ${JSON.stringify(missing)}, which is not installed; installed: ${known.join(', ')}`,
    { param: 'adapters' },
  )
}

function checkTwice(found: readonly (DescribedAdapter | LoadedFactory)[]): void {
  const first = new Map<string, DescribedAdapter | LoadedFactory>()
  for (const one of found) {
    const key = `${one.package.kind} ${one.id}`
    const other = first.get(key)
    if (other)
      throw new HeadgateError(
        'invalid-request',
        `Two adapters have the id "${one.id}": ${place(other.package)} and ${place(one.package)}. Remove one.`,
      )
    first.set(key, one)
  }
}

function checkContract({ id, package: adapter, factory }: LoadedFactory): LoadedAdapter {
  if (!isOurs(factory)) {
    const advice = factory.contract > CONTRACT ? 'Update headgate' : 'Update the adapter'
    throw refused(
      adapter,
      `requires contract ${factory.contract}, but this headgate has contract ${CONTRACT}. ${advice}`,
    )
  }
  const description = descriptionOf(id, factory)
  const loaded: LoadedAdapter = { id, package: adapter, description, factory, load: async () => loaded }
  return loaded
}

function isOurs(factory: Factory): factory is Factory & AnyAdapter {
  return factory.contract === CONTRACT
}

function refused(adapter: AdapterPackage, reason: string): HeadgateError {
  return new HeadgateError('invalid-request', `${named(adapter)} ${reason}.`)
}

function named(adapter: AdapterPackage): string {
  return `The adapter ${place(adapter)}`
}

function place({ name, version, path }: AdapterPackage): string {
  return `${name}@${version} (${path})`
}
