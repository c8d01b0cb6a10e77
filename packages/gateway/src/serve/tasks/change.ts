import type { TaskStatus } from '@headgate/core/contract'
import type { Task } from '../../ports/tasks.ts'
import { dataOf, isFinal, type TaskState, taskStateOf } from './state.ts'

const DAY = 86_400_000
/** Retention of a task after its creation, and of a canceled task after its cancellation, in milliseconds. */
const RETENTION_MS = 7 * DAY
const CANCELED_RETENTION_MS = DAY
/** Random deviation of poll intervals, so that tasks of the same time are not polled together. */
const JITTER = 0.2
/** Maximum poll interval in milliseconds, with and without a callback. */
const MAX_PAUSE_WITH_CALLBACK = 15_000
const MAX_PAUSE = 60_000

/** Change of a task. */
export interface TaskChange {
  readonly status?: TaskStatus
  readonly kept?: Partial<TaskState>
  /** Time until the next poll in milliseconds; default: by the task's age. */
  readonly waitMs?: number | undefined
}

/** Time until the next poll. It grows with the task's age. */
export function pauseOf(task: Task, everyMs: number, now: number): number {
  const longest = taskStateOf(task).callback ? MAX_PAUSE_WITH_CALLBACK : MAX_PAUSE
  const pause = Math.max(everyMs, Math.min(longest, (now - task.createdAt) / 10))
  return pause * (1 - JITTER + 2 * JITTER * Math.random())
}

/** Next version of a task. A final state never changes. */
export function changedTask(
  task: Task,
  { status = task.status, kept = {}, waitMs }: TaskChange,
  everyMs: number,
  now = Date.now(),
): Task {
  const before = taskStateOf(task)
  const isChanged = status !== task.status
  const { callback } = before
  const called = callback && isChanged ? { ...callback, due: [...callback.due, { status, at: now }] } : callback
  const { notBefore: asked = 0, ...others } = before
  // A callback in the meantime does not shorten it.
  const notBefore = waitMs === undefined ? (asked > now ? asked : undefined) : now + waitMs
  const after: TaskState = {
    ...others,
    ...(notBefore !== undefined && { notBefore }),
    ...(called && { callback: called }),
    ...kept,
  }
  const lookAt = isFinal({ status })
    ? undefined
    : Math.min(Math.ceil(notBefore ?? now + pauseOf(task, everyMs, now)), Math.max(now, after.expiresAt))
  const callAt = after.callback && after.callback.due.length > 0 ? after.callback.nextAt : undefined
  const nextAt = lookAt === undefined || callAt === undefined ? (lookAt ?? callAt) : Math.min(lookAt, callAt)
  const { nextAt: _, keptUntil: __, ...rest } = task
  return {
    ...rest,
    status,
    updatedAt: isChanged ? now : task.updatedAt,
    version: task.version + 1,
    data: dataOf(after),
    ...(nextAt !== undefined && { nextAt }),
    ...(isFinal({ status }) && {
      keptUntil:
        status === 'cancelled' ? now + CANCELED_RETENTION_MS : Math.max(now + DAY, task.createdAt + RETENTION_MS),
    }),
  }
}
