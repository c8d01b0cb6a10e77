import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname

/** Where PGlite is, once it is installed. */
export const PGLITE = join(folder, 'node_modules/@electric-sql/pglite')

/**
 * The files of an empty database, as PGlite has made them once: to make them takes it seconds, to read them half of
 * one.
 */
export const EMPTY = join(PGLITE, 'empty.tar')

/**
 * Once before a run of tests: installs what the lockfile names, and makes an empty database, where they are not there
 * yet. Offline it may fail: then the tests of the store fail, and say what to do, and no others.
 */
export default function install(): void {
  if (!isInstalled()) installPackage()
  if (isInstalled() && !existsSync(EMPTY))
    spawnSync(process.execPath, [join(folder, 'empty.ts')], { stdio: 'ignore', timeout: 60_000 })
}

function installPackage(): void {
  spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], {
    cwd: folder,
    stdio: 'ignore',
    shell: process.platform === 'win32',
    timeout: 120_000,
  })
}

/** As the lockfile wants it. */
export function isInstalled(): boolean {
  const manifest = join(PGLITE, 'package.json')
  return existsSync(manifest) && versionIn(manifest) === versionIn(join(folder, 'package.json'))
}

function versionIn(file: string): unknown {
  const manifest: { version?: string; dependencies?: Record<string, string> } = JSON.parse(readFileSync(file, 'utf8'))
  return file.startsWith(PGLITE) ? manifest.version : manifest.dependencies?.['@electric-sql/pglite']
}
