import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const ROOT = resolve(import.meta.dirname, '../../..')
const PNPM = join(ROOT, 'node_modules/.bin/pnpm')
/** The program and what of this repository it depends on, without what only its tests need. */
const PROGRAM = ['--filter-prod', 'headgate...'] as const

const execute = promisify(execFile)

/** A project with the program installed, and packages that lie beside it as archives. */
export interface Installation {
  /** The program as its package manager has put it there. */
  readonly program: string
  /** Packs what lies in these folders of the project, and installs the packages of these names. */
  install(folders: readonly string[], dependencies: readonly string[]): Promise<void>
}

/**
 * Packs the program and makes a project of a folder.
 *
 * No registry is asked: what the program needs of others is linked to where this checkout has it installed. From the
 * package manager's store alone it could not be installed everywhere: a checkout that was installed by its lockfile has
 * the packages in the store, but not the registry's descriptions of them, by which a project without a lockfile
 * chooses.
 */
export async function createInstallation(folder: string): Promise<Installation> {
  const archives = join(folder, 'archives')
  mkdirSync(archives)
  const workspace = await workspacePackages()
  for (const { name, path } of workspace) {
    if (!existsSync(join(path, 'dist')))
      throw new Error(`${name} is not built, and built packages are what is packed: run \`pnpm build\`.`)
  }
  const packed = await pack(ROOT, archives, PROGRAM)
  const links = Object.assign({}, ...workspace.map(({ path }) => foreignLinks(path)))

  return {
    program: join(folder, 'node_modules/.bin/headgate'),
    async install(folders, dependencies) {
      for (const one of folders) Object.assign(packed, await pack(join(folder, one), archives))
      const chosen = ['headgate', ...dependencies].map((name) => [name, packed[name] ?? `${name} is not packed`])
      write(join(folder, 'package.json'), { name: 'project', private: true, dependencies: Object.fromEntries(chosen) })
      // Everything lies side by side in node_modules, as other package managers put it: what is direct is known by
      // package.json alone.
      write(join(folder, 'pnpm-workspace.yaml'), {
        shamefullyHoist: true,
        storeDir: 'store',
        overrides: { ...links, ...packed },
      })
      await pnpm(folder, ['install', '--offline', '--no-frozen-lockfile'])
    },
  }
}

interface WorkspacePackage {
  readonly name: string
  readonly path: string
}

async function workspacePackages(): Promise<WorkspacePackage[]> {
  return JSON.parse(await pnpm(ROOT, [...PROGRAM, 'ls', '--depth', '-1', '--json']))
}

/** What a package depends on of others, as links to where it is installed. */
function foreignLinks(path: string): Record<string, string> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const foreign = Object.keys(dependencies).filter((name) => !name.startsWith('@headgate/'))
  return Object.fromEntries(foreign.map((name) => [name, `link:${realpathSync(join(path, 'node_modules', name))}`]))
}

/**
 * Packs the package of a folder, or those of a workspace that `which` chooses. The archives, by the names of their
 * packages.
 */
async function pack(folder: string, archives: string, which: readonly string[] = []): Promise<Record<string, string>> {
  const answer: Packed | Packed[] = JSON.parse(
    await pnpm(folder, [...which, 'pack', '--pack-destination', archives, '--json']),
  )
  return Object.fromEntries([answer].flat().map(({ name, filename }) => [name, `file:${filename}`]))
}

interface Packed {
  readonly name: string
  readonly filename: string
}

/** JSON is YAML as well. */
function write(file: string, content: object): void {
  writeFileSync(file, JSON.stringify(content))
}

async function pnpm(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute(PNPM, args, { cwd, timeout: 240_000 })
  return stdout
}
