import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname

/** Where PGlite is, once it is installed. */
export const PGLITE = join(folder, 'node_modules/@electric-sql/pglite')

/**
 * Once before a run of tests: installs what the lockfile names, where it is not there yet. Offline it may fail: then the tests of the
 * store fail, and say what to do, and no others.
 */
export default function install(): void {
  if (isInstalled()) return
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
