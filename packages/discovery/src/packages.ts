import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import {
  type AdapterPackage,
  type InstalledPackage,
  installedFolder,
  type Manifest,
  nearestPackage,
  readAdapterPackage,
  readManifest,
} from './manifest.ts'
import { createOwnership } from './ownership.ts'

/** Receives a sentence with advice about an ignored package. */
export type OnSkipped = (sentence: string) => void

/** Locations of installed adapters. */
export interface AdapterPlaces {
  /** Working directory of the command. The nearest package.json at or above it counts. */
  readonly folder: string
  /** Folder of the program, whose own dependencies count. */
  readonly program?: string | undefined
  /** Environment. `HEADGATE_ADAPTER_FOLDERS` lists more folders with a package.json, separated as in `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Allowed adapters, in this order: direct dependencies and named folders of the project of the working directory and of
 * `HEADGATE_ADAPTER_FOLDERS`, the program's own dependencies, and adapters that a direct dependency names as its own.
 * Other transitive dependencies and files of other users are ignored, because adapters receive credentials.
 */
export function findAdapterPackages(
  { folder, program, environment }: AdapterPlaces,
  onSkipped: OnSkipped = () => {},
): AdapterPackage[] {
  const further = (environment['HEADGATE_ADAPTER_FOLDERS'] ?? '').split(delimiter).filter((one) => one !== '')
  const projects = [nearestPackage(folder), ...further.map((one) => packageIn(resolve(folder, one)))].filter(
    (one) => one !== undefined,
  )
  const found = [...new Set(projects)].map((project) => adaptersOf(project, folder, onSkipped))
  const own = program === undefined ? [] : dependencyAdapters(realpathSync(program), () => undefined)
  const direct = new Map([...found.flatMap((one) => one.direct), ...own].map((one) => [one.path, one]))
  const names = new Set([...direct.values()].map(({ name }) => name))
  const named = found.flatMap((one) => one.named).filter(({ name }) => !names.has(name))
  return [...new Map([...direct, ...named.map((one) => [one.path, one] as const)]).values()]
}

/** Folder with a package.json; undefined if it has none. */
function packageIn(folder: string): string | undefined {
  return existsSync(join(folder, 'package.json')) ? folder : undefined
}

interface ProjectAdapters {
  readonly direct: readonly AdapterPackage[]
  /** Adapters named by a direct dependency. */
  readonly named: readonly AdapterPackage[]
}

const NOTHING: ProjectAdapters = { direct: [], named: [] }

function adaptersOf(project: string, folder: string, onSkipped: OnSkipped): ProjectAdapters {
  const ownership = createOwnership(folder)
  const manifest = join(project, 'package.json')
  const reason = project === folder ? ownership.againstOwn(manifest) : ownership.againstProject(manifest)
  if (reason !== undefined) {
    onSkipped(`Ignored ${manifest}: ${reason}. Create a package.json for headgate in the folder where it is started.`)
    return NOTHING
  }
  for (const name of developmentAdapters(project))
    onSkipped(`${name} is in devDependencies of ${manifest}: move it to dependencies to use it.`)
  const against: Against = ({ at, steps, path }) => {
    const reason = ownership.againstContent(at, steps)
    if (reason !== undefined) onSkipped(`Ignored the adapter in ${path}: ${reason}. Install it in ${project}.`)
    return reason
  }
  return { direct: adaptersOfProject(project, against), named: namedAdapters(project, against, onSkipped) }
}

/** Reason why an installed package is ignored; undefined = it is used. */
type Against = (installed: InstalledPackage) => string | undefined

function adaptersOfProject(project: string, against: Against): AdapterPackage[] {
  const globs = readManifest(project)?.headgate?.adapters ?? []
  if (!Array.isArray(globs) || !globs.every((glob) => typeof glob === 'string')) {
    throw new HeadgateError(
      'invalid-request',
      `${join(project, 'package.json')}: headgate.adapters; allowed: a list of folders such as "packages/*"`,
    )
  }
  return [...dependencyAdapters(project, against), ...globs.flatMap((glob) => folderAdapters(project, glob))]
}

function dependencyAdapters(folder: string, against: Against): AdapterPackage[] {
  return dependencyNames(readManifest(folder) ?? {}).flatMap((name) => adapterIn(folder, name, against))
}

/** Adapter in a dependency, if it is allowed. */
function adapterIn(folder: string, name: string, against: Against): AdapterPackage[] {
  const installed = installedFolder(folder, name)
  const adapter = installed && readAdapterPackage(installed.path)
  return adapter && against(installed) === undefined ? [adapter] : []
}

/**
 * Adapters that direct dependencies name among their own dependencies, in `headgate.adapters` of their package.json.
 * There is no further recursion.
 */
function namedAdapters(project: string, against: Against, onSkipped: OnSkipped): AdapterPackage[] {
  return dependencyNames(readManifest(project) ?? {}).flatMap((name) => {
    const installed = installedFolder(project, name)
    const manifest = (installed && readManifest(installed.path)) ?? {}
    const named = manifest.headgate?.adapters
    if (!installed || !Array.isArray(named) || named.length === 0 || against(installed) !== undefined) return []
    const own = dependencyNames(manifest)
    for (const stranger of named.filter((one) => !own.includes(one)))
      onSkipped(
        `${name} names ${JSON.stringify(stranger)} in headgate.adapters, which is not one of its dependencies. The entry was ignored.`,
      )
    const folder = realpathSync(installed.path)
    const adapters = own.filter((one) => named.includes(one)).flatMap((one) => adapterIn(folder, one, against))
    return adapters.map((adapter) => ({ ...adapter, namedBy: name }))
  })
}

/** Dependencies at run time. Development dependencies may be missing there. */
function dependencyNames({ dependencies, optionalDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies })
}

/** Adapters installed only for development. */
function developmentAdapters(project: string): string[] {
  const manifest = readManifest(project) ?? {}
  const used = dependencyNames(manifest)
  return Object.keys(manifest.devDependencies ?? {}).flatMap((name) => {
    const installed = used.includes(name) ? undefined : installedFolder(project, name)
    return installed && readManifest(installed.path)?.headgate?.adapter !== undefined ? [name] : []
  })
}

/**
 * Adapters in named folders. Folders matched by a trailing `*` may have no adapter, but an explicitly named folder must
 * have one.
 */
function folderAdapters(project: string, glob: string): AdapterPackage[] {
  if (!glob.endsWith('/*')) {
    const folder = resolve(project, glob)
    const adapter = readAdapterPackage(folder)
    if (adapter) return [adapter]
    const message = `${join(project, 'package.json')}: headgate.adapters names ${JSON.stringify(glob)}, but ${join(folder, 'package.json')} has no "headgate": { "adapter": … }.`
    throw new HeadgateError('invalid-request', message)
  }
  const parent = resolve(project, glob.slice(0, -2))
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .sort()
    .flatMap((entry) => readAdapterPackage(join(parent, entry)) ?? [])
}
