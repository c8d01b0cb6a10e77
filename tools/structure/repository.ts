import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readSource, type SourceFile } from './source.ts'

export type Manifest = Record<string, unknown> & { readonly name?: string }

/** Package of the workspace. */
export interface Package {
  /** Path relative to the root, with slashes. */
  readonly folder: string
  readonly kind: 'core' | 'gateway' | 'provider' | 'search' | 'sink' | 'app' | 'library'
  /** Name of the folder; the id of an adapter. */
  readonly id: string
  readonly manifest: Manifest
  readonly sources: readonly SourceFile[]
  /** Entries of the folder, without files that git ignores. */
  readonly entries: readonly string[]
}

export interface Repository {
  readonly root: string
  readonly packages: readonly Package[]
  /** All TypeScript files: of packages, tools, benchmarks, end-to-end tests and the root. */
  readonly files: readonly SourceFile[]
}

/** Adapters without a vendor. Core may use their ids as words. */
export const GENERIC_ADAPTERS: ReadonlySet<string> = new Set(['demo', 'local', 'openai-compatible'])

const ADAPTER_FOLDERS = ['packages/providers', 'packages/search', 'packages/sinks']
const IGNORED = new Set(['node_modules', 'dist', '.turbo', '.headgate', '.git'])
/** Source folders of a package. Browser code is separate because of its types. */
const ROOTS = ['src', 'web']
const SOURCE = /\.(?:[cm]?ts|tsx)$/

export function readRepository(root: string): Repository {
  const files = [
    ...sourcesIn(
      root,
      ['packages', 'apps', 'tools', 'bench', 'e2e', 'examples'].filter((folder) => existsSync(join(root, folder))),
    ),
    ...rootSources(root),
  ]
  const packages = packageFolders(root).map((folder): Package => {
    const id = basename(folder)
    return {
      folder,
      kind: kindOf(folder),
      id,
      manifest: readManifest(join(root, folder, 'package.json')),
      sources: files.filter(({ path }) => ROOTS.some((root) => path.startsWith(`${folder}/${root}/`))),
      entries: entriesOf(join(root, folder)).map(({ name }) => name),
    }
  })
  return { root, packages, files }
}

export function isAdapter({ kind }: Package): boolean {
  return kind === 'provider' || kind === 'search' || kind === 'sink'
}

/** Folders that are not empty. A folder with ignored files only belongs to another branch. */
function packageFolders(root: string): string[] {
  return ['apps', 'packages', ...ADAPTER_FOLDERS]
    .flatMap((parent) => entriesOf(join(root, parent)).map(({ name }) => `${parent}/${name}`))
    .filter((folder) => !ADAPTER_FOLDERS.includes(folder) && entriesOf(join(root, folder)).length > 0)
}

function readManifest(path: string): Manifest {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

function kindOf(folder: string): Package['kind'] {
  if (folder === 'packages/core') return 'core'
  if (folder === 'packages/gateway') return 'gateway'
  if (folder.startsWith('packages/providers/')) return 'provider'
  if (folder.startsWith('packages/search/')) return 'search'
  if (folder.startsWith('packages/sinks/')) return 'sink'
  return folder.startsWith('apps/') ? 'app' : 'library'
}

function entriesOf(folder: string) {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !IGNORED.has(name)) : []
}

function rootSources(root: string): SourceFile[] {
  return entriesOf(root)
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map(({ name }) => readSource(name, readFileSync(join(root, name), 'utf8')))
}

function sourcesIn(root: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) => {
    const entries = entriesOf(join(root, folder))
    const here = entries
      .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
      .map(({ name }) => `${folder}/${name}`)
    const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`)
    return [...here.map((path) => readSource(path, readFileSync(join(root, path), 'utf8'))), ...sourcesIn(root, below)]
  })
}
