import type { Json } from '../canonical/json.ts'

export const TASK_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const

/** State of a task. The last four are final. */
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Reference to a task at the upstream. `state` is stored with the task and passed back. */
export interface TaskRef {
  readonly id: string
  readonly state?: Json
}
