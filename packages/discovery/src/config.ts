/** What a program needs that reads a configuration: problems in sentences, the name that was meant, owners of files. */
export type { Environment } from './environment.ts'
export { nearestPackage, readManifest } from './manifest.ts'
export { createOwnership, type Ownership } from './ownership.ts'
export {
  configError,
  everyOf,
  type Problem,
  type ProblemContext,
  pathText,
  problemsIn,
  problemsOf,
  together,
  valueAt,
} from './problems.ts'
