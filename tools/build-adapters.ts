import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'tsup'

/**
 * Builds adapters that have changed since their last build, in one run of the bundler and one of the compiler, because
 * starting these for each adapter takes longer than the rest. Build core first.
 */
const ROOT = resolve(import.meta.dirname, '..')
const CACHE = join(ROOT, 'node_modules/.cache/headgate/adapters')
const KEPT = join(CACHE, 'built.json')

/** Inputs of an adapter's last build, and its declarations. */
interface Built {
  readonly code: string
  readonly types: string
}

process.chdir(ROOT)
const folders = globSync('packages/{providers,search,sinks}/*/package.json').map(dirname).sort()
const shared = digestOf(['tools/build-adapters.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json'])
const core = digestOf(globSync('packages/core/src/**/*.ts').sort())
const before: Readonly<Record<string, Built>> = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : {}
const now = Object.fromEntries(folders.map((folder) => [folder, builtFrom(folder)]))

const isThere = (folder: string): boolean =>
  existsSync(join(folder, 'dist/index.js')) && existsSync(join(folder, 'dist/index.d.ts'))
const changed = folders.filter((folder) => before[folder]?.code !== now[folder]?.code || !isThere(folder))
const retyped = folders.filter((folder) => before[folder]?.types !== now[folder]?.types || changed.includes(folder))
if (changed.length > 0) await bundle(changed)
if (retyped.length > 0) declare(retyped)
mkdirSync(CACHE, { recursive: true })
writeFileSync(KEPT, JSON.stringify(now))

function builtFrom(folder: string): Built {
  const sources = globSync(`${folder}/src/**/*`).filter((path) => /\.\w+$/.test(path))
  const own = digestOf([`${folder}/package.json`, ...sources.sort(), ...shipped(folder).map(([path]) => path)])
  const code = `${shared}${own}`
  return { code, types: `${code}${core}` }
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(path).update(readFileSync(path))
  return hash.digest('base64url')
}

/** Files of the repository that package.json `ships`, with their targets: folder in `dist` → patterns from the root. */
function shipped(folder: string): (readonly [from: string, to: string])[] {
  const { ships = {} }: { ships?: Record<string, string[]> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return Object.entries(ships).flatMap(([into, patterns]) =>
    globSync(patterns).map((file) => [file, join(folder, 'dist', into, file)] as const),
  )
}

/**
 * Bundles the entry of each adapter, and the workers that Node starts by file name. Imports of packages remain imports.
 */
async function bundle(folders: readonly string[]): Promise<void> {
  const entries = folders.flatMap((folder) => [`${folder}/src/index.ts`, ...globSync(`${folder}/src/*.worker.ts`)])
  for (const folder of folders) rmSync(join(folder, 'dist'), { recursive: true, force: true })
  await build({
    config: false,
    entry: Object.fromEntries(entries.map((entry) => [entry.replace('/src/', '/dist/').replace(/\.ts$/, ''), entry])),
    outDir: '.',
    format: 'esm',
    target: 'node22',
    splitting: false,
    clean: false,
    silent: true,
    external: [/^[^./]/],
    // tsup's default turns `node:sqlite` into `sqlite`, which does not exist.
    removeNodeProtocol: false,
  })
  for (const folder of folders) for (const [from, to] of shipped(folder)) cpSync(from, to)
}

/** Writes `dist/**.d.ts`. */
function declare(folders: readonly string[]): void {
  const project = join(CACHE, 'tsconfig.json')
  const outDir = join(CACHE, 'types')
  rmSync(outDir, { recursive: true, force: true })
  mkdirSync(CACHE, { recursive: true })
  const include = folders.map((folder) => join(ROOT, folder, 'src'))
  const compilerOptions = { rootDir: ROOT, outDir, typeRoots: [join(ROOT, 'node_modules/@types')] }
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.build.json'), include, exclude: [], compilerOptions }),
  )
  if (spawnSync('tsc', ['-p', project], { stdio: 'inherit' }).status !== 0) process.exit(1)
  for (const folder of folders) cpSync(join(outDir, folder, 'src'), join(folder, 'dist'), { recursive: true })
}
