import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import {
  type AdapterPackage,
  type Installed,
  installedFolder,
  type Manifest,
  nearestPackage,
  readAdapterPackage,
  readManifest,
} from './manifest.ts'
import { createOwnership } from './ownership.ts'

/** Told what looks like an adapter and is not used: a sentence, with what to do. */
export type OnSkipped = (sentence: string) => void

/** Where adapters may be installed. */
export interface AdapterPlaces {
  /** Working directory of the command: the nearest package.json at or above it counts. */
  readonly folder: string
  /** Folder of the program, whose own dependencies count. */
  readonly program?: string | undefined
  /** Variables; `HEADGATE_ADAPTER_FOLDERS` has more folders with a package.json, separated as in `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * The adapters that may be used: direct dependencies and named folders of the project of the working directory and of
 * the folders of
 * `HEADGATE_ADAPTER_FOLDERS`, then the program's own dependencies, then adapters that a direct dependency names as its
 * own. Other transitive dependencies and files of other users are ignored, because adapters receive credentials.
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

/** A folder with a package.json, or undefined if it has none. */
function packageIn(folder: string): string | undefined {
  return existsSync(join(folder, 'package.json')) ? folder : undefined
}

interface ProjectAdapters {
  readonly direct: readonly AdapterPackage[]
  /** Through a direct dependency, which names them. */
  readonly named: readonly AdapterPackage[]
}

const NOTHING: ProjectAdapters = { direct: [], named: [] }

function adaptersOf(project: string, folder: string, onSkipped: OnSkipped): ProjectAdapters {
  const ownership = createOwnership(folder)
  const manifest = join(project, 'package.json')
  const reason = project === folder ? ownership.againstOwn(manifest) : ownership.againstProject(manifest)
  if (reason !== undefined) {
    onSkipped(
      `${manifest} is left alone: ${reason}. Give headgate a package.json of its own, in the folder where it is started.`,
    )
    return NOTHING
  }
  for (const name of developmentAdapters(project))
    onSkipped(`${name} is in devDependencies of ${manifest}: move it to dependencies, if it is to be used.`)
  const against: Against = ({ at, steps, path }) => {
    const reason = ownership.againstContent(at, steps)
    if (reason !== undefined) onSkipped(`The adapter in ${path} is left alone: ${reason}. Install it in ${project}.`)
    return reason
  }
  return { direct: adaptersOfProject(project, against), named: namedAdapters(project, against, onSkipped) }
}

/** Why an installed package does not count; undefined = it does. */
type Against = (installed: Installed) => string | undefined

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

/** The dependency of a package, if it is an adapter that counts. */
function adapterIn(folder: string, name: string, against: Against): AdapterPackage[] {
  const installed = installedFolder(folder, name)
  const adapter = installed && readAdapterPackage(installed.path)
  return adapter && against(installed) === undefined ? [adapter] : []
}

/**
 * What direct dependencies name, of their own dependencies: `headgate.adapters` of their package.json. What these name
 * counts no more.
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
        `${name} names ${JSON.stringify(stranger)} in headgate.adapters, which is none of its dependencies: it is left alone.`,
      )
    const folder = realpathSync(installed.path)
    const adapters = own.filter((one) => named.includes(one)).flatMap((one) => adapterIn(folder, one, against))
    return adapters.map((adapter) => ({ ...adapter, namedBy: name }))
  })
}

/** What is there for development is not there where the program runs. */
function dependencyNames({ dependencies, optionalDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies })
}

/** Adapters that are installed for development alone. */
function developmentAdapters(project: string): string[] {
  const manifest = readManifest(project) ?? {}
  const used = dependencyNames(manifest)
  return Object.keys(manifest.devDependencies ?? {}).flatMap((name) => {
    const installed = used.includes(name) ? undefined : installedFolder(project, name)
    return installed && readManifest(installed.path)?.headgate?.adapter !== undefined ? [name] : []
  })
}

/** Folders of a trailing `*` that hold no adapter are passed over; a folder that is named outright must hold one. */
function folderAdapters(project: string, glob: string): AdapterPackage[] {
  if (!glob.endsWith('/*')) {
    const folder = resolve(project, glob)
    const adapter = readAdapterPackage(folder)
    if (adapter) return [adapter]
    const message = `${join(project, 'package.json')}: headgate.adapters names ${JSON.stringify(glob)}, but ${join(folder, 'package.json')} carries no "headgate": { "adapter": … }.`
    throw new HeadgateError('invalid-request', message)
  }
  const parent = resolve(project, glob.slice(0, -2))
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .sort()
    .flatMap((entry) => readAdapterPackage(join(parent, entry)) ?? [])
}
