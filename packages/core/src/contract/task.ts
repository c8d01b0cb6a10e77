import type { Json } from '../canonical/json.ts'

export const TASK_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const

/** The last four are final. */
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** What names a task at the upstream; `state` is kept with the task and handed back. */
export interface TaskRef {
  readonly id: string
  readonly state?: Json
}
