import type { Repository } from './repository.ts'

/** Violation of a rule. */
export interface Problem {
  readonly rule: string
  /** Path relative to the root of the repository. */
  readonly path: string
  readonly line?: number
  /** The problem, and how to fix it. */
  readonly message: string
}

export type Rule = (repository: Repository) => readonly Problem[]

export function format({ rule, path, line, message }: Problem): string {
  return `${path}${line === undefined ? '' : `:${line}`}  ${message}  [${rule}]`
}
