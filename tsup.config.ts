import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defineConfig } from 'tsup'

/**
 * The build of every package, run in that package's folder.
 *
 * Entries are the exports and imports of package.json under the condition `@headgate/source`, the program `src/cli.ts`,
 * the workers, which Node starts by file name, and `src/node-version.ts`, which must be evaluated first.
 */
export default defineConfig(() => ({
  entry: [...namedSources(), ...globSync(['src/cli.ts', 'src/node-version.ts', 'src/*.worker.ts'])],
  format: 'esm',
  target: 'node22',
  clean: true,
  silent: true,
  // tsup's default turns `node:sqlite` into `sqlite`, which does not exist.
  removeNodeProtocol: false,
  // Subpath imports stay imports: the runtime's conditions choose their file.
  external: [/^#/],
  async onSuccess() {
    shipFiles()
    await emitDeclarations()
  },
}))

/** Files by the conditions under which a runtime takes them. */
type Conditional = string | { readonly [condition: string]: Conditional }

function namedSources(): string[] {
  const { exports = {}, imports = {} }: Record<'exports' | 'imports', Record<string, Conditional> | undefined> =
    JSON.parse(readFileSync('package.json', 'utf8'))
  const named = [...Object.values(exports), ...Object.values(imports)]
  return [
    ...new Set(named.flatMap((entry) => (typeof entry === 'string' ? [] : filesOf(entry['@headgate/source'] ?? {})))),
  ]
}

function filesOf(entry: Conditional): string[] {
  return typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(filesOf)
}

/** Copies what package.json `ships` of the repository into folders of `dist`: folder → patterns from the root. */
function shipFiles(): void {
  const { ships = {} }: { ships?: Record<string, string[]> } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [folder, patterns] of Object.entries(ships))
    for (const file of globSync(patterns, { cwd: import.meta.dirname }))
      cpSync(join(import.meta.dirname, file), join('dist', folder, file))
}

/**
 * Writes `dist/**.d.ts`.
 *
 * tsup's own `dts` needs a compiler API that TypeScript 7 does not ship. The project file is written here, because packages
 * have no project file.
 */
async function emitDeclarations(): Promise<void> {
  const folder = 'node_modules/.cache/headgate'
  const project = `${folder}/tsconfig.json`
  const compilerOptions = { rootDir: resolve('src'), outDir: resolve('dist') }
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    project,
    JSON.stringify({
      extends: resolve(import.meta.dirname, 'tsconfig.build.json'),
      include: [resolve('src')],
      compilerOptions,
    }),
  )
  if (spawnSync('tsc', ['-p', project], { stdio: 'inherit' }).status !== 0) process.exit(1)
}
