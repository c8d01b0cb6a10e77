import type { Json, Usage } from '@headgate/core/canonical'
import type { ProviderInstance, TaskRef, TaskStatus } from '@headgate/core/contract'
import type { Task } from '../../ports/tasks.ts'
import type { TaskCall } from './ask.ts'
import type { Kept, TaskFailure } from './kept.ts'

/** What one look at a task gave. */
export interface Looked {
  readonly status: TaskStatus
  /** What its answers need: kept as it is. */
  readonly got: Json
  readonly usage?: Usage
  readonly failure?: TaskFailure
  readonly retryAfterMs?: number
}

/** A creation of which nobody knows whether the upstream has it. */
export interface Intent {
  readonly intent: string
  readonly model: string
  readonly createdAt: number
  readonly trace?: Json
}

/** What a provider does of a family of tasks, beside creating them. */
export interface TaskSupport {
  readonly get: TaskCall<TaskRef, Looked>
  readonly cancel?: TaskCall<TaskRef, 'canceled' | 'not-cancelable'>
  readonly find?: TaskCall<Intent, TaskRef | undefined>
  /** Milliseconds between two looks at one task, at least. */
  readonly everyMs: number
  /** Most looks in a second, of all tasks. */
  readonly perSecond: number
}

/** What a family says of its tasks. */
export interface TaskKind {
  readonly family: string
  /** As its usage rows name it. */
  readonly format: string
  /** Undefined where the provider does not serve the family. */
  support(provider: ProviderInstance): TaskSupport | undefined
  /** What is told to whoever wants to be called back: the task, as it was asked for at that state. */
  told(task: Task, kept: Kept): Json
  /** Whether the provider's content policy refused the request or its output. */
  isRefusal(failure: TaskFailure): boolean
}
