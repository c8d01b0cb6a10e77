import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'

export type AdapterKind = 'provider' | 'search'

/** A package that says of itself that it is an adapter. */
export interface AdapterPackage {
  readonly name: string
  readonly version: string
  readonly kind: AdapterKind
  /** Its real folder: two links to one package are one. */
  readonly path: string
  /** The field `exports` of its package.json. */
  readonly exports: unknown
  /** The dependency that named it as one of its own: it gives way to others of its id. */
  readonly namedBy?: string
  /** The field `headgate` of its package.json. */
  readonly headgate: unknown
}

/** What Headgate reads of a package.json. */
export interface Manifest {
  readonly name?: unknown
  readonly version?: unknown
  readonly exports?: unknown
  readonly headgate?: { readonly adapter?: unknown; readonly adapters?: unknown }
  readonly dependencies?: Readonly<Record<string, unknown>>
  readonly devDependencies?: Readonly<Record<string, unknown>>
  readonly optionalDependencies?: Readonly<Record<string, unknown>>
}

const KINDS: readonly AdapterKind[] = ['provider', 'search']

/** The package.json of a folder, or undefined where there is none. */
export function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? manifest : {}
  } catch {
    throw new HeadgateError('invalid-request', `${file} can not be read as JSON.`)
  }
}

/** The adapter in a folder, or undefined when the folder holds none. */
export function readAdapterPackage(folder: string): AdapterPackage | undefined {
  const manifest = readManifest(folder)
  const adapter = manifest?.headgate?.adapter
  if (!manifest || adapter === undefined) return undefined

  const kind = KINDS.find((one) => one === adapter)
  const path = realpathSync(folder)
  if (!kind) {
    const allowed = KINDS.map((one) => JSON.stringify(one)).join(', ')
    throw new HeadgateError(
      'invalid-request',
      `${join(path, 'package.json')}: headgate.adapter: found ${JSON.stringify(adapter)}; allowed: ${allowed}`,
    )
  }
  const { name = path, version = '0.0.0', exports, headgate } = manifest
  return { name: String(name), version: String(version), kind, path, exports, headgate }
}

/** The nearest folder at or above the given one that holds a package.json. */
export function nearestPackage(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : nearestPackage(parent)
}

/** Where a dependency is installed. */
export interface Installed {
  /** The folder whose `node_modules` has it. */
  readonly at: string
  /** The way there from it: `node_modules`, the scope, the package. */
  readonly steps: readonly string[]
  readonly path: string
}

/** Where a dependency of a package is installed, or undefined when it is not: the way Node looks for it. */
export function installedFolder(from: string, name: string): Installed | undefined {
  const parts = ['node_modules', ...name.split('/')]
  const path = join(from, ...parts)
  if (existsSync(join(path, 'package.json'))) {
    return { at: from, steps: parts.map((_, index) => join(from, ...parts.slice(0, index + 1))), path }
  }
  const parent = dirname(from)
  return parent === from ? undefined : installedFolder(parent, name)
}
