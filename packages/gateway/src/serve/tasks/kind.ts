import type { Json, Usage } from '@headgate/core/canonical'
import type { ProviderInstance, TaskRef, TaskStatus } from '@headgate/core/contract'
import type { Task } from '../../ports/tasks.ts'
import type { TaskCall } from './call.ts'
import type { TaskFailure, TaskState } from './state.ts'

/** Result of one poll. */
export interface PollResult {
  readonly status: TaskStatus
  /** Data for responses, stored unchanged. */
  readonly got: Json
  readonly usage?: Usage
  readonly failure?: TaskFailure
  readonly retryAfterMs?: number
}

/** A creation with an unknown outcome. */
export interface Intent {
  readonly intent: string
  readonly model: string
  readonly createdAt: number
  readonly trace?: Json
}

/** Methods of a provider for a family of tasks, except their creation. */
export interface TaskSupport {
  readonly get: TaskCall<TaskRef, PollResult>
  readonly cancel?: TaskCall<TaskRef, 'canceled' | 'not-cancelable'>
  readonly find?: TaskCall<Intent, TaskRef | undefined>
  /** Minimum time between two polls of one task, in milliseconds. */
  readonly everyMs: number
  /** Maximum polls per second, over all tasks. */
  readonly perSecond: number
}

/** Behavior of a family's tasks. */
export interface TaskKind {
  readonly family: string
  /** Format in usage rows. */
  readonly format: string
  /** Undefined if the provider does not support the family. */
  support(provider: ProviderInstance): TaskSupport | undefined
  /** Body of a callback: the task in that state. */
  callbackBody(task: Task, kept: TaskState): Json
  /** True if the provider's content policy rejected the request or its output. */
  isRefusal(failure: TaskFailure): boolean
}
