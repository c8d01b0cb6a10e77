import { isAdapter, type Manifest, type Package } from './repository.ts'

const REPOSITORY = 'git+https://github.com/headgate/headgate.git'
const CORE_RANGE = 'workspace:>=0.1.0 <1'

/** The order of fields that `--write` gives a package.json. */
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

/** The fields of a package.json that follow from what the package is and where it lies. */
export function derivedManifest(one: Package, zodRange: string): Manifest {
  const root = '../'.repeat(one.folder.split('/').length)
  const { manifest } = one
  const importable = one.kind !== 'app' || manifest['exports'] !== undefined
  return {
    license: 'Apache-2.0',
    repository: { type: 'git', url: REPOSITORY, directory: one.folder },
    type: 'module',
    engines: { node: '>=22.19' },
    files: manifest['bin'] === undefined ? ['dist'] : ['bin', 'dist'],
    scripts: {
      ...Object(manifest['scripts']),
      build: `tsup --config ${root}tsup.config.ts${one.entries.includes('vite.config.ts') ? ' && vite build' : ''}`,
      'lint:package': importable ? 'publint --strict && attw --pack . --profile esm-only' : 'publint --strict',
    },
    publishConfig: { access: 'public', provenance: true },
    ...(importable && { exports: exportsOf(manifest) }),
    ...(one.kind !== 'app' && { sideEffects: sideEffectsOf(one) }),
    ...(isAdapter(one) && adapterFields(one, zodRange)),
  }
}

/** Core's check of the Node is imported for what it throws alone. */
function sideEffectsOf({ kind }: Package): false | string[] {
  return kind === 'core' && ['./src/node-version.ts', './dist/node-version.js']
}

function adapterFields({ kind, id, manifest }: Package, zodRange: string): Manifest {
  return {
    name: `@headgate/${kind}-${id}`,
    headgate: { adapter: kind },
    exports: { '.': entry('.') },
    peerDependencies: { ...Object(manifest['peerDependencies']), '@headgate/core': CORE_RANGE, zod: zodRange },
    // Turbo and pnpm do not see a peer as something to build or install first.
    devDependencies: { ...Object(manifest['devDependencies']), '@headgate/conformance': 'workspace:*', '@headgate/core': 'workspace:*' },
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

/** The package.json with its derived fields, fields in the common order. */
export function mendManifest(one: Package, zodRange: string): string {
  const mended = { ...one.manifest, ...derivedManifest(one, zodRange) }
  const rank = (field: string) => (ORDER.includes(field) ? ORDER.indexOf(field) : ORDER.length)
  const fields = Object.entries(mended).sort(([a], [b]) => rank(a) - rank(b))
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`
}
