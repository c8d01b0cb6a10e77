import { nearestPackage, readManifest } from './adapters/package.ts'

/** The folder of the program's own package, in a checkout as in an installation. */
export const programFolder = nearestPackage(import.meta.dirname) ?? import.meta.dirname

/** The version of the program. */
export const version = String(readManifest(programFolder)?.version ?? '0.0.0')

/** What is to be done where another version of the program is installed than runs. */
export function outdatedProgram(): string[] {
  const installed = String(readManifest(programFolder)?.version ?? version)
  return installed === version
    ? []
    : [`headgate ${installed} is installed, but ${version} runs: restart for the new one.`]
}
