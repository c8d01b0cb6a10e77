/**
 * Helpers for programs with their own configuration: problems as sentences, suggestions for names, and file ownership.
 */
export type { Environment } from './environment.ts'
export { nearestPackage, readManifest } from './manifest.ts'
export { createOwnership, type Ownership } from './ownership.ts'
export {
  type ConfigProblem,
  configError,
  everyOf,
  type ProblemContext,
  pathText,
  problemsIn,
  problemsOf,
  together,
  valueAt,
} from './problems.ts'
