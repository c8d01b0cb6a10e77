import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folder of the program's package, in a checkout and in an installation. */
export const programFolder = dirname(import.meta.dirname)

export const version = installedVersion()

/** Advice to restart if the installed version differs from the running one. */
export function outdatedProgram(): string[] {
  const installed = installedVersion()
  return installed === version
    ? []
    : [`headgate ${installed} is installed, but ${version} is running. Restart to use the new version.`]
}

function installedVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(programFolder, 'package.json'), 'utf8'))
  return manifest.version
}
