import type { Loss } from './loss.ts'
import type { ChatRequest } from './request.ts'
import type { Target } from './target.ts'

/** State for writing a request. Each format adds its own members. */
export interface WriteState {
  readonly request: ChatRequest
  readonly target: Target
  readonly losses: Loss[]
  /** Changed tool names, by the caller's names. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Name of a tool in the written request.
 * @example sentName(writing, 'my.tool') // 'my_tool'
 */
export function sentName({ names }: Pick<WriteState, 'names'>, name: string): string {
  return names.get(name) ?? name
}
