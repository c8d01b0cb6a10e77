import type { Repository } from './repository.ts'

/** One breach of a rule. */
export interface Problem {
  readonly rule: string
  /** Relative to the root of the repository. */
  readonly path: string
  readonly line?: number
  /** What was found, and what to do about it. */
  readonly message: string
}

export type Rule = (repository: Repository) => readonly Problem[]

export function format({ rule, path, line, message }: Problem): string {
  return `${path}${line === undefined ? '' : `:${line}`}  ${message}  [${rule}]`
}
