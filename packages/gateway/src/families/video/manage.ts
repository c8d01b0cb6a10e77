import type { Json } from '@headgate/core/canonical'
import { TASK_STATUSES, type TaskStatus } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { Task, TaskQuery } from '../../ports/tasks.ts'
import type { Context } from '../../serve/context.ts'
import { isFinal } from '../../serve/tasks/state.ts'
import type { Tasks } from '../../serve/tasks/tasks.ts'
import type { Linking } from './link.ts'
import { listedTaskResponse, taskResponse } from './response.ts'

const MOST = 500
const PER_PAGE = 20
/** Maximum ids in one list request. */
const MAX_IDS = 500
const DAYS_7 = 7 * 86_400_000

function unknownTask(id: string): HeadgateError {
  return new HeadgateError(
    'not-found',
    `The task ${id.slice(0, 64)} was not found for this key. Tasks are stored for 7 days.`,
  )
}

/** A task of the caller. @throws HeadgateError `not-found`, also for tasks of other keys. */
async function callersTask({ parts }: Tasks, { principal }: Context, id: string): Promise<Task> {
  const task = await parts.options.store.get(id)
  if (task?.owner !== principal.id || task.family !== parts.kind.family) throw unknownTask(id)
  return task
}

/** A task, refreshed from the upstream if its poll rate allows. */
export async function getTask(tasks: Tasks, linking: Linking, context: Context, id: string): Promise<Json> {
  const task = await tasks.refresh(await callersTask(tasks, context, id))
  if (!task) throw unknownTask(id)
  return taskResponse(linking, task)
}

function pageNumber(value: string | null, name: string, fallback: number): number {
  if (value === null || value === '') return fallback
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0
  if (number >= 1 && number <= MOST) return number
  throw invalid(name, `${name} must be a whole number from 1 to ${MOST}.`)
}

/** @throws HeadgateError that names the invalid parameter. */
function queryOf(family: string, owner: string, query: string): TaskQuery {
  const given = new URLSearchParams(query)
  const status = given.get('filter.status') || undefined
  if (status !== undefined && !TASK_STATUSES.some((one) => one === status))
    throw invalid('filter.status', `filter.status must be one of ${TASK_STATUSES.join(', ')}.`)
  const size = pageNumber(given.get('page_size'), 'page_size', PER_PAGE)
  const page = pageNumber(given.get('page_num'), 'page_num', 1)
  // Clients repeat the parameter or separate ids with commas.
  const ids = given
    .getAll('filter.task_ids')
    .flatMap((text) => text.split(','))
    .filter((id) => id !== '')
  if (ids.length > MAX_IDS)
    throw invalid('filter.task_ids', `filter.task_ids has ${ids.length} ids; the maximum is ${MAX_IDS}.`)
  const model = given.get('filter.model') || undefined
  return {
    family,
    owner,
    since: Date.now() - DAYS_7,
    ...(status !== undefined && { status: status as TaskStatus }),
    ...(model !== undefined && { model }),
    // Like at the vendor, off-peak tasks are listed only on request.
    tier: given.get('filter.service_tier') || 'default',
    ...(ids.length > 0 && { ids }),
    offset: (page - 1) * size,
    limit: size,
  }
}

/** The caller's tasks of the last seven days, newest first. @see https://www.volcengine.com/docs/82379/1521675 */
export async function listTasks(
  { parts }: Tasks,
  linking: Linking,
  { principal }: Context,
  query: string,
): Promise<Json> {
  const { tasks, total } = await parts.options.store.list(queryOf(parts.kind.family, principal.id, query))
  return { items: tasks.map((task) => listedTaskResponse(linking, task)), total }
}

/** Cancels a queued task or deletes a finished one. @see https://www.volcengine.com/docs/82379/1521720 */
export async function deleteTask(tasks: Tasks, context: Context, id: string): Promise<Json> {
  const task = await callersTask(tasks, context, id)
  const newest = isFinal(task) ? task : await tasks.cancel(task)
  if (newest?.status === 'cancelled' && !isFinal(task)) return {}
  if (!newest) throw unknownTask(id)
  if (newest.status === 'running')
    throw new HeadgateError(
      'conflict',
      `Cannot delete task ${id} because it is currently running. Delete it when it has finished.`,
    )
  if (!isFinal(newest))
    throw new HeadgateError('conflict', `Task ${id} can no longer be canceled. Delete it when it has finished.`)
  if (newest.status === 'cancelled')
    throw new HeadgateError('conflict', `Task ${id} is canceled. It is deleted after one day.`)
  if (!(await tasks.parts.options.store.remove(id, newest.version)))
    throw new HeadgateError('conflict', `Task ${id} is changing. Try again.`)
  return {}
}
