import { nearestPackage, readManifest } from './adapters/package.ts'

/** The folder of the program's own package, in a checkout as in an installation. */
export const programFolder = nearestPackage(import.meta.dirname) ?? import.meta.dirname

/** The version of the program. */
export const version = String(readManifest(programFolder)?.version ?? '0.0.0')
