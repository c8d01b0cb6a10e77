import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

const { HEADGATE_E2E_DIR } = process.env

/**
 * Folder of installed clients, outside of the workspace because of their size of several hundred megabytes. Kept
 * between runs.
 */
const FOLDER = resolve(HEADGATE_E2E_DIR || join(import.meta.dirname, '../node_modules/.cache/headgate-e2e'))

const MOST_MS = 600_000

/** Marker of a complete installation. It is written last. */
const MARK = 'installed.json'

/** Packages of one registry with pinned versions. The first package names the folder. */
export type Packages = Readonly<Record<string, string>>

/** Folder with the packages of one client, because clients require different versions of the same packages. */
export interface Installation {
  readonly registry: 'npm' | 'PyPI' | 'Maven' | 'Go'
  readonly packages: Packages
}

/** Folder of an installation, even if it does not exist yet. */
export function folderOf({ registry, packages }: Installation): string {
  const named = Object.entries(packages).map(([name, version]) => `${name.replaceAll(/[^\w.-]/g, '_')}-${version}`)
  return join(FOLDER, registry, named.slice(0, 2).join('+'))
}

/** Path of a command in an installation. */
export function commandOf(installation: Installation, command: string): string {
  return join(folderOf(installation), installation.registry === 'npm' ? 'node_modules/.bin' : 'bin', command)
}

export function isInstalled(installation: Installation): boolean {
  const mark = join(folderOf(installation), MARK)
  return existsSync(mark) && isDeepStrictEqual(JSON.parse(readFileSync(mark, 'utf8')), installation.packages)
}

/** Installs missing packages. Reports a failure. */
export function tryInstall(installation: Installation): void {
  if (isInstalled(installation)) return
  try {
    install(installation)
  } catch (error) {
    console.log(String(error))
  }
}

function install(installation: Installation): void {
  const { registry, packages } = installation
  const folder = folderOf(installation)
  mkdirSync(folder, { recursive: true })
  const joint = registry === 'npm' ? '@' : '=='
  const wanted = Object.entries(packages).map((one) => one.join(joint))
  process.stdout.write(`Installing ${wanted.join(', ')} into ${folder}\n`)
  if (registry === 'npm')
    runInstaller('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...wanted])
  else if (registry === 'Maven') installLibraries(folder, packages)
  else if (registry === 'Go') installProgram(folder, packages)
  else {
    runInstaller('python3', ['-m', 'venv', folder])
    runInstaller(join(folder, 'bin/python'), [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      ...wanted,
    ])
  }
  writeFileSync(join(folder, MARK), JSON.stringify(packages))
}

/** Installs Java libraries with all dependencies in `lib`. */
function installLibraries(folder: string, packages: Packages): void {
  const dependencies = Object.entries(packages).map(([name, version]) => {
    const [group = '', artifact = ''] = name.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  const pom = join(folder, 'pom.xml')
  writeFileSync(
    pom,
    readFileSync(join(import.meta.dirname, 'java/pom.xml'), 'utf8').replace('<!-- packages -->', dependencies.join('')),
  )
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
  runInstaller('mvn', [
    '-q',
    '-B',
    '-f',
    pom,
    `-Dmaven.repo.local=${join(folder, 'repository')}`,
    copy,
    `-DoutputDirectory=${join(folder, 'lib')}`,
  ])
}

/** Builds the program in `go` with its modules, as `bin/media`. */
function installProgram(folder: string, packages: Packages): void {
  const modules = Object.entries(packages).map((one) => `require ${one.join(' ')}`)
  writeFileSync(join(folder, 'go.mod'), `module headgate-e2e\n\ngo 1.24\n\n${modules.join('\n')}\n`)
  copyFileSync(join(import.meta.dirname, 'go/main.go'), join(folder, 'main.go'))
  runInstaller('go', ['mod', 'tidy'], folder)
  runInstaller('go', ['build', '-o', 'bin/media', '.'], folder)
}

function runInstaller(command: string, args: readonly string[], cwd?: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], timeout: MOST_MS })
  if (status !== 0)
    throw new Error(`\`${command} ${args.join(' ')}\` failed: ${error?.message ?? `it exited with ${status}`}.`)
}
