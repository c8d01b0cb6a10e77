import type { TaskStatus } from '@headgate/core/contract'
import type { Task } from '../../ports/tasks.ts'
import { dataOf, isFinal, type Kept, keptOf } from './kept.ts'

const DAY = 86_400_000
/** How long a task is kept after it was made, and one that was canceled after that, in milliseconds. */
const KEPT = 7 * DAY
const KEPT_CANCELED = DAY
/** A task may be looked at a little sooner or later, so that many made at once do not come at once. */
const JITTER = 0.2
/**
 * The longest time between two looks, in milliseconds: where somebody is to be called back, and where nobody may be
 * waiting.
 */
const LONGEST_CALLED = 15_000
const LONGEST = 60_000

/** What has changed of a task. */
export interface Change {
  readonly status?: TaskStatus
  readonly kept?: Partial<Kept>
  /** How long not to look again, in milliseconds; default by its age. */
  readonly waitMs?: number | undefined
}

/** How long until the next look: the longer it takes, the longer it may take still. */
export function pauseOf(task: Task, everyMs: number, now: number): number {
  const longest = keptOf(task).callback ? LONGEST_CALLED : LONGEST
  const pause = Math.max(everyMs, Math.min(longest, (now - task.createdAt) / 10))
  return pause * (1 - JITTER + 2 * JITTER * Math.random())
}

/** The version of a task that follows. Whatever is final stays so. */
export function changedTask(
  task: Task,
  { status = task.status, kept = {}, waitMs }: Change,
  everyMs: number,
  now = Date.now(),
): Task {
  const before = keptOf(task)
  const isChanged = status !== task.status
  const { callback } = before
  const called = callback && isChanged ? { ...callback, due: [...callback.due, { status, at: now }] } : callback
  const { notBefore: asked = 0, ...others } = before
  // Whoever is told of something meanwhile has not shortened it.
  const notBefore = waitMs === undefined ? (asked > now ? asked : undefined) : now + waitMs
  const after: Kept = {
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
      keptUntil: status === 'cancelled' ? now + KEPT_CANCELED : Math.max(now + DAY, task.createdAt + KEPT),
    }),
  }
}
