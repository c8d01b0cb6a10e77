import type { Json } from '@headgate/core/canonical'
import { TASK_STATUSES, type TaskStatus } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import type { Task, TaskQuery } from '../../ports/tasks.ts'
import type { Context } from '../../serve/context.ts'
import { isFinal } from '../../serve/tasks/kept.ts'
import type { Tasks } from '../../serve/tasks/tasks.ts'
import { listedAnswer, taskAnswer } from './answer.ts'
import type { Linking } from './link.ts'

const MOST = 500
const PER_PAGE = 20
/** Most ids of one list. */
const MOST_IDS = 500
const DAYS_7 = 7 * 86_400_000

function unknownTask(id: string): HeadgateError {
  return new HeadgateError('not-found', `There is no task ${id.slice(0, 64)} of this key. Tasks are kept for 7 days.`)
}

/** A task of the caller's. @throws HeadgateError `not-found`, as well for one of another key. */
async function ownTask({ parts }: Tasks, { principal }: Context, id: string): Promise<Task> {
  const task = await parts.options.store.get(id)
  if (task?.owner !== principal.id || task.family !== parts.kind.family) throw unknownTask(id)
  return task
}

/** One task, as the upstream has it now where it may be asked. */
export async function getTask(tasks: Tasks, linking: Linking, context: Context, id: string): Promise<Json> {
  const task = await tasks.refresh(await ownTask(tasks, context, id))
  if (!task) throw unknownTask(id)
  return taskAnswer(linking, task)
}

function pageNumber(value: string | null, name: string, fallback: number): number {
  if (value === null || value === '') return fallback
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0
  if (number >= 1 && number <= MOST) return number
  throw invalid(name, `${name} must be a whole number from 1 to ${MOST}.`)
}

/** @throws HeadgateError that names the parameter. */
function queryOf(family: string, owner: string, query: string): TaskQuery {
  const given = new URLSearchParams(query)
  const status = given.get('filter.status') || undefined
  if (status !== undefined && !TASK_STATUSES.some((one) => one === status))
    throw invalid('filter.status', `filter.status must be one of ${TASK_STATUSES.join(', ')}.`)
  const size = pageNumber(given.get('page_size'), 'page_size', PER_PAGE)
  const page = pageNumber(given.get('page_num'), 'page_num', 1)
  // Clients write several ids one way or the other.
  const ids = given
    .getAll('filter.task_ids')
    .flatMap((text) => text.split(','))
    .filter((id) => id !== '')
  if (ids.length > MOST_IDS)
    throw invalid('filter.task_ids', `filter.task_ids may name ${MOST_IDS} tasks, ${ids.length} were found.`)
  const model = given.get('filter.model') || undefined
  return {
    family,
    owner,
    since: Date.now() - DAYS_7,
    ...(status !== undefined && { status: status as TaskStatus }),
    ...(model !== undefined && { model }),
    // As the vendor has it: what is made off-peak is listed when it is asked for.
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
  return { items: tasks.map((task) => listedAnswer(linking, task)), total }
}

/**
 * Cancels a task that waits, and forgets one that is over.
 * @see https://www.volcengine.com/docs/82379/1521720
 */
export async function deleteTask(tasks: Tasks, context: Context, id: string): Promise<Json> {
  const task = await ownTask(tasks, context, id)
  const newest = isFinal(task) ? task : await tasks.cancel(task)
  if (newest?.status === 'cancelled' && !isFinal(task)) return {}
  if (!newest) throw unknownTask(id)
  if (newest.status === 'running')
    throw new HeadgateError(
      'conflict',
      `Cannot delete task ${id} because it is currently running. It can be deleted when it is over.`,
    )
  if (!isFinal(newest))
    throw new HeadgateError(
      'conflict',
      `The task ${id} can not be canceled any more. It can be deleted when it is over.`,
    )
  if (newest.status === 'cancelled')
    throw new HeadgateError('conflict', `The task ${id} is canceled; it goes by itself after a day.`)
  if (!(await tasks.parts.options.store.remove(id, newest.version)))
    throw new HeadgateError('conflict', `The task ${id} is changing. Try again.`)
  return {}
}
