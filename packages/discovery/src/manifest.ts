import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'

export type AdapterKind = 'provider' | 'search' | 'sink'

/** Package that declares itself an adapter. */
export interface AdapterPackage {
  readonly name: string
  readonly version: string
  readonly kind: AdapterKind
  /** Real path of the folder, so that two links to one package are equal. */
  readonly path: string
  /** Field `exports` of its package.json. */
  readonly exports: unknown
  /** Dependency that depends on the adapter and names it. Other adapters with the same id take precedence. */
  readonly namedBy?: string
  /** Field `headgate` of its package.json. */
  readonly headgate: unknown
}

/** Fields of a package.json that Headgate reads. */
export interface Manifest {
  readonly name?: unknown
  readonly version?: unknown
  readonly exports?: unknown
  readonly headgate?: { readonly adapter?: unknown; readonly adapters?: unknown }
  readonly dependencies?: Readonly<Record<string, unknown>>
  readonly devDependencies?: Readonly<Record<string, unknown>>
  readonly optionalDependencies?: Readonly<Record<string, unknown>>
}

const KINDS: readonly AdapterKind[] = ['provider', 'search', 'sink']

/** Content of the package.json in a folder, if any. */
export function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? manifest : {}
  } catch {
    throw new HeadgateError('invalid-request', `${file} is not valid JSON.`)
  }
}

/** Adapter in a folder, if any. */
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

/** Nearest folder with a package.json, at or above the given one. */
export function nearestPackage(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : nearestPackage(parent)
}

/** Location of an installed dependency. */
export interface InstalledPackage {
  /** Folder whose `node_modules` contains it. */
  readonly at: string
  /** Paths from `at` to the package: `node_modules`, the scope, the package. */
  readonly steps: readonly string[]
  readonly path: string
}

/** Location of an installed dependency, as Node resolves it; undefined if it is not installed. */
export function installedFolder(from: string, name: string): InstalledPackage | undefined {
  const parts = ['node_modules', ...name.split('/')]
  const path = join(from, ...parts)
  if (existsSync(join(path, 'package.json'))) {
    return { at: from, steps: parts.map((_, index) => join(from, ...parts.slice(0, index + 1))), path }
  }
  const parent = dirname(from)
  return parent === from ? undefined : installedFolder(parent, name)
}
