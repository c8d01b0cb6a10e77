import { isAdapter, type Manifest, type Package, type Repository } from './repository.ts'

const REPOSITORY = 'git+https://github.com/headgate/headgate.git'
const CORE_RANGE = 'workspace:>=0.1.0 <1'
/** Adapters begin at 0.0.0. A release of an adapter stays within the range, so that it does not release others. */
const ADAPTER_RANGE = 'workspace:>=0.0.0 <1'
/** Package that depends on every adapter. */
export const ALL = 'packages/all'
/** Package with the names of adapters that are not installed. */
export const DISCOVERY = 'packages/discovery'
/** Package that creates packages. Their dependencies have the versions of its test dependencies. */
const CREATE = 'packages/create-adapter'

/** Order of fields that `--write` gives a package.json. */
const ORDER = [
  'name',
  'version',
  'private',
  'description',
  'license',
  'repository',
  'type',
  'sideEffects',
  'engines',
  'headgate',
  'bin',
  'files',
  'exports',
  'scripts',
  'dependencies',
  'peerDependencies',
  'devDependencies',
  'publishConfig',
]

/** Parts of package.json files that come from other files of the repository. */
export interface Surroundings {
  /** Range of zod in core, which adapters share. */
  readonly zodRange: string
  /** Packages of all adapters, by name. */
  readonly adapters: readonly string[]
  /** Environment variables with the keys of adapters, separated by spaces, by package. */
  readonly keyVariables: Readonly<Record<string, string>>
}

export function surroundingsOf({ packages }: Repository): Surroundings {
  const dependencies: Record<string, string> = Object(
    packages.find(({ kind }) => kind === 'core')?.manifest['dependencies'],
  )
  const variables = packages
    .filter(isAdapter)
    .map(({ kind, id, manifest }) => [`@headgate/${kind}-${id}`, keyVariablesOf(manifest)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    zodRange: dependencies['zod'] ?? '*',
    adapters: variables.map(([name]) => name),
    keyVariables: Object.fromEntries(variables),
  }
}

/** Variables of the field `apiKey` in an adapter's description. */
function keyVariablesOf({ headgate }: Manifest): string {
  const { env }: { env?: Record<string, unknown> } = Object(headgate)
  const sources = Object(env)['apiKey']
  return Array.isArray(sources) ? sources.filter((source) => typeof source === 'string').join(' ') : ''
}

/** Fields of a package.json that follow from the kind and folder of the package. */
export function derivedManifest(one: Package, surroundings: Surroundings): Manifest {
  return one.folder === ALL ? manifestOfAll(surroundings) : builtManifest(one, surroundings)
}

/** Manifest of the package without code that depends on all adapters. */
function manifestOfAll({ zodRange, adapters }: Surroundings): Manifest {
  return {
    license: 'Apache-2.0',
    repository: { type: 'git', url: REPOSITORY, directory: ALL },
    type: 'module',
    engines: { node: '>=22.19' },
    headgate: { adapters },
    files: [],
    exports: { './package.json': './package.json' },
    scripts: { 'lint:package': 'publint --strict' },
    dependencies: Object.fromEntries(adapters.map((name) => [name, ADAPTER_RANGE])),
    peerDependencies: { '@headgate/core': CORE_RANGE, zod: zodRange },
    publishConfig: { access: 'public', provenance: true },
  }
}

function builtManifest(one: Package, surroundings: Surroundings): Manifest {
  const root = '../'.repeat(one.folder.split('/').length)
  const { manifest } = one
  const { build: _, ...own }: Record<string, unknown> = Object(manifest['scripts'])
  const importable = one.kind !== 'app' || manifest['exports'] !== undefined
  return {
    license: 'Apache-2.0',
    repository: { type: 'git', url: REPOSITORY, directory: one.folder },
    type: 'module',
    engines: { node: '>=22.19' },
    files: [
      ...(manifest['bin'] === undefined ? [] : ['bin']),
      'dist',
      ...(one.entries.includes('templates') ? ['templates'] : []),
    ],
    scripts: {
      ...own,
      // One command builds all adapters: tools/build-adapters.ts.
      ...(!isAdapter(one) && {
        build: `tsup --config ${root}tsup.config.ts${one.entries.includes('vite.config.ts') ? ' && vite build' : ''}`,
      }),
      'lint:package': importable ? 'publint --strict && attw --pack . --profile esm-only' : 'publint --strict',
    },
    publishConfig: { access: 'public', provenance: true },
    ...(importable && { exports: exportsOf(manifest) }),
    ...(one.kind !== 'app' && { sideEffects: sideEffectsOf(one) }),
    ...(isAdapter(one) && adapterFields(one, surroundings)),
    ...(one.folder === DISCOVERY && { headgate: { published: surroundings.keyVariables } }),
    ...(one.folder === CREATE && {
      devDependencies: {
        ...Object(manifest['devDependencies']),
        '@headgate/conformance': CORE_RANGE,
        '@headgate/core': CORE_RANGE,
        zod: surroundings.zodRange,
      },
    }),
  }
}

/** The gateway imports its check of the Node version only for the error that it throws. */
function sideEffectsOf({ folder }: Package): false | string[] {
  return folder === 'packages/gateway' && ['./src/node-version.ts', './dist/node-version.js']
}

function adapterFields({ kind, id, manifest }: Package, { zodRange }: Surroundings): Manifest {
  return {
    name: `@headgate/${kind}-${id}`,
    headgate: { ...Object(manifest['headgate']), adapter: kind },
    exports: { '.': entry('.') },
    peerDependencies: { ...Object(manifest['peerDependencies']), '@headgate/core': CORE_RANGE, zod: zodRange },
    // Turbo and pnpm do not build or install peer dependencies first.
    devDependencies: {
      ...Object(manifest['devDependencies']),
      '@headgate/conformance': 'workspace:*',
      '@headgate/core': 'workspace:*',
    },
  }
}

function exportsOf(manifest: Manifest): Record<string, unknown> {
  const paths = Object.keys(manifest['exports'] ?? { '.': {} })
  return Object.fromEntries(paths.map((path) => [path, entry(path)]))
}

function entry(path: string) {
  const name = path === '.' ? 'index' : path.slice(2)
  return { '@headgate/source': `./src/${name}.ts`, types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }
}

/** Manifest with its derived fields, in the common order. */
export function mendManifest(one: Package, surroundings: Surroundings): string {
  const mended = { ...one.manifest, ...derivedManifest(one, surroundings) }
  const rank = (field: string) => (ORDER.includes(field) ? ORDER.indexOf(field) : ORDER.length)
  const fields = Object.entries(mended).sort(([a], [b]) => rank(a) - rank(b))
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`
}
