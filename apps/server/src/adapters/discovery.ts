import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HeadgateError } from '@headgate/core'
import { type AdapterPackage, installedFolder, type Manifest, nearestPackage, readAdapterPackage, readManifest } from './package.ts'

/**
 * The adapters that may be used: direct dependencies and named folders of the project in which the command was given,
 * then what the program itself depends on. Never a dependency of a dependency, since an adapter is handed credentials.
 */
export function findAdapterPackages(folder: string, program: string): AdapterPackage[] {
  const project = nearestPackage(folder)
  const found = [...(project ? adaptersOfProject(project) : []), ...dependencyAdapters(realpathSync(program))]
  return [...new Map(found.map((one) => [one.path, one])).values()]
}

function adaptersOfProject(project: string): AdapterPackage[] {
  const globs = readManifest(project)?.headgate?.adapters ?? []
  if (!Array.isArray(globs) || !globs.every((glob) => typeof glob === 'string')) {
    throw new HeadgateError(
      'invalid-request',
      `${join(project, 'package.json')}: headgate.adapters; allowed: a list of folders such as "packages/*"`,
    )
  }
  return [...dependencyAdapters(project), ...globs.flatMap((glob) => folderAdapters(project, glob))]
}

function dependencyAdapters(folder: string): AdapterPackage[] {
  return dependencyNames(readManifest(folder) ?? {}).flatMap((name) => {
    const installed = installedFolder(folder, name)
    return (installed && readAdapterPackage(installed)) || []
  })
}

function dependencyNames({ dependencies, devDependencies, optionalDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
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
