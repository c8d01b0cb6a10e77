import type { Loss } from './loss.ts'
import type { ChatRequest } from './request.ts'
import type { Target } from './target.ts'

/** What the writers of one request's pieces share; each format adds what its own pieces need. */
export interface Writing {
  readonly request: ChatRequest
  readonly target: Target
  readonly losses: Loss[]
  /** Tool names as the caller wrote them → as they are sent, where they differ. */
  readonly names: ReadonlyMap<string, string>
}

/** The name of a tool as it is sent. */
export function sentName({ names }: Pick<Writing, 'names'>, name: string): string {
  return names.get(name) ?? name
}
