import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of the program's package, in a checkout as in an installation. */
export const programFolder = dirname(import.meta.dirname)

/** The version of the program. */
export const version = installedVersion()

/** What is to be done where another version of the program is installed than runs. */
export function outdatedProgram(): string[] {
  const installed = installedVersion()
  return installed === version
    ? []
    : [`headgate ${installed} is installed, but ${version} runs: restart for the new one.`]
}

function installedVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(programFolder, 'package.json'), 'utf8'))
  return manifest.version
}
