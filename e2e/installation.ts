import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

const { HEADGATE_E2E_DIR } = process.env

/** Where clients are kept: some hundred megabytes each, so outside of the workspace, and from run to run. */
const FOLDER = resolve(HEADGATE_E2E_DIR || join(import.meta.dirname, '../node_modules/.cache/headgate-e2e'))

const MOST_MS = 600_000

/** Says that the folder holds what it should: the last that an installation writes. */
const MARK = 'installed.json'

/** Packages of one registry, each with the one version of it that is tried. The first names the folder. */
export type Packages = Readonly<Record<string, string>>

/** A folder with packages, which is kept for them alone: different clients want different versions of the same. */
export interface Installation {
  readonly registry: 'npm' | 'PyPI' | 'Maven'
  readonly packages: Packages
}

/** Where its packages are, or will be. */
export function folderOf({ registry, packages }: Installation): string {
  const named = Object.entries(packages).map(([name, version]) => `${name.replaceAll(/[^\w.-]/g, '_')}-${version}`)
  return join(FOLDER, registry, named.slice(0, 2).join('+'))
}

/** Path of a command that its packages bring. */
export function commandOf(installation: Installation, command: string): string {
  return join(folderOf(installation), installation.registry === 'npm' ? 'node_modules/.bin' : 'bin', command)
}

export function isInstalled(installation: Installation): boolean {
  const mark = join(folderOf(installation), MARK)
  return existsSync(mark) && isDeepStrictEqual(JSON.parse(readFileSync(mark, 'utf8')), installation.packages)
}

/** Installs what is not yet there, or says why that does not work. */
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

/** Libraries of Java with all that they depend on, in `lib`. */
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

function runInstaller(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: MOST_MS })
  if (status !== 0)
    throw new Error(`\`${command} ${args.join(' ')}\` failed: ${error?.message ?? `it ended with ${status}`}.`)
}
