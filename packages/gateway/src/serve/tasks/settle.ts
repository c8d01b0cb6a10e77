import type { ErrorKind } from '@headgate/core/errors'
import { FAILURES } from '@headgate/core/errors'
import { charge, type RecordedAttempt } from '../../cost/charge.ts'
import { makeRow } from '../../cost/row.ts'
import type { Task } from '../../ports/tasks.ts'
import { endpointAt } from '../../routing/catalog.ts'
import type { Core } from '../core.ts'
import type { TaskKind } from './kind.ts'
import { type TaskState, taskStateOf } from './state.ts'

function failureOf(kind: TaskKind, task: Task): ErrorKind | undefined {
  const { failure } = taskStateOf(task)
  if (task.status === 'succeeded') return undefined
  if (task.status === 'cancelled') return 'canceled'
  if (task.status === 'expired') return 'timeout'
  return failure && kind.isRefusal(failure) ? 'content-policy' : 'upstream'
}

/**
 * Cost of a task that ends without usage: 0 if its provider reports that it failed or was canceled. Null, which is
 * unknown, for every other task: its creation got no response, it exceeded its time limit, or its provider no longer
 * knows it.
 */
function unreported({ status }: Task, { ref, failure }: TaskState): 0 | null {
  const isReported = status === 'failed' || status === 'cancelled'
  return isReported && ref !== undefined && failure?.kind !== 'task-unknown' ? 0 : null
}

/**
 * Settles a task that has ended. The row has the id of the creation, so that repeated writes result in one row. The
 * price is the one at the time of the creation.
 */
export async function settleTask(core: Core, kind: TaskKind, task: Task): Promise<void> {
  const state = taskStateOf(task)
  const { usage, intent, losses } = state
  const instance = endpointAt(core.instances, task.provider)?.instance
  const facts = instance && (instance.live?.get(task.providerModel) ?? instance.known.get(task.providerModel))
  const price = instance && core.priceOf({ instance, model: task.providerModel, facts }, task.createdAt)
  const attempts: RecordedAttempt[] = state.attempts.map((attempt) => ({ ...attempt }))
  const creation = attempts.at(-1)
  if (usage) charge(creation, usage, price)
  else if (creation) creation.cost = unreported(task, state)
  const failure = failureOf(kind, task)
  const isServed = failure === undefined
  await core.settle(
    makeRow(
      {
        id: intent,
        requestId: state.requestId,
        principal: task.owner,
        tags: state.tags,
        endUser: state.endUser,
        session: state.session,
        startedAt: task.createdAt,
        durationMs: Math.max(0, task.updatedAt - task.createdAt),
        inOrder: undefined,
        policy: undefined,
        routing: undefined,
        attempts,
        gone: false,
      },
      {
        family: kind.family,
        format: kind.format,
        model: task.model,
        provider: instance?.name ?? task.provider,
        providerModel: task.providerModel,
        stream: false,
        translated: true,
        status: failure === undefined ? 200 : FAILURES[failure].status,
        usage,
        estimated: undefined,
        servedFrom: isServed ? Math.max(0, attempts.length - 1) : undefined,
        billing: (charged) =>
          isServed && charged === null
            ? { billed: false, why: usage ? 'price-unknown' : 'usage-unknown' }
            : { billed: isServed, why: isServed ? 'served' : failure === 'canceled' ? failure : task.status },
        finish: undefined,
        failure,
        losses,
      },
    ),
  )
}
