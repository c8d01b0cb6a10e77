import type { TaskStatus } from '@headgate/core/contract'
import { type ErrorKind, HeadgateError, invalid } from '@headgate/core/errors'
import type { Guard } from '../../http/guard.ts'
import { postWebhook } from '../../http/webhook.ts'
import type { Task, TaskOptions } from '../../ports/tasks.ts'
import { endpointAt } from '../../routing/catalog.ts'
import type { Core } from '../core.ts'
import { callProvider, emptyResult, type TaskTarget } from './call.ts'
import { changedTask, type TaskChange } from './change.ts'
import type { PollResult, TaskKind, TaskSupport } from './kind.ts'
import { settleTask } from './settle.ts'
import { errorWithGatewayId, type GatewayReason, isFinal, type TaskState, taskStateOf } from './state.ts'

/** Consecutive polls without finding a task after which it counts as lost. */
const MAX_MISSING = 3
/** Failed searches for a creation after which it counts as failed. */
const MAX_SEARCHES = 10
/** Minimum wait for a process that may still know the outcome of a creation, and maximum pause, in milliseconds. */
const MIN_WAIT_MS = 5_000
const MAX_PAUSE_MS = 60_000
/** Timeouts of a poll and of a callback, in milliseconds. */
const POLL_TIMEOUT_MS = 30_000
const CALLBACK_TIMEOUT_MS = 5_000
/** Pauses between deliveries of a callback, in milliseconds. */
const CALLBACK_PAUSES_MS = [5_000, 15_000, 60_000, 300_000, 600_000, 600_000, 600_000]
/** Poll interval while the provider is not configured, in milliseconds. */
const ABSENT_PROVIDER_MS = 60_000

/** Dependencies of a step. */
export interface StepParts {
  readonly core: Core
  readonly kind: TaskKind
  readonly options: TaskOptions
  readonly guard: Guard
  readonly warn: (message: string) => void
}

interface PollTarget extends TaskTarget {
  readonly support: TaskSupport
}

function pollTargetOf({ core, kind }: StepParts, task: Task): PollTarget | undefined {
  const place = endpointAt(core.instances, task.provider)
  const support = place && kind.support(place.endpoint.provider)
  return place && support
    ? { instance: place.instance, endpoint: place.endpoint, model: task.providerModel, support }
    : undefined
}

/** Milliseconds until the next poll after failed polls. */
function pauseAfter(misses: number, everyMs: number): number {
  return Math.min(MAX_PAUSE_MS, everyMs * 2 ** Math.min(misses, 10))
}

function failed(kind: GatewayReason, message: string): TaskChange {
  return { status: 'failed', kept: { failure: { kind, message } } }
}

/** Change that results from a poll. */
function found({ status, got, usage, failure, retryAfterMs }: PollResult): TaskChange {
  return {
    status,
    kept: { got, misses: 0, missing: 0, ...(usage && { usage }), ...(failure && { failure }) },
    ...(retryAfterMs !== undefined && { waitMs: retryAfterMs }),
  }
}

/** Searches for a task whose creation got no response. */
async function search(
  { core }: StepParts,
  task: Task,
  { support, ...asked }: PollTarget,
  signal: AbortSignal,
): Promise<TaskChange> {
  const { intent, trace, misses, missing, unanswered } = taskStateOf(task)
  const { find, everyMs } = support
  const gone = failed(
    'creation-unknown',
    'The provider did not respond when the task was created, and it does not list the task. It is not billed.',
  )
  const again = missing + 1 < MAX_MISSING
  const pause = unanswered ? pauseAfter(missing, everyMs) : Math.max(MIN_WAIT_MS, everyMs)
  const absent: TaskChange = again ? { kept: { missing: missing + 1 }, waitMs: pause } : gone
  if (!find) return unanswered ? gone : absent
  try {
    const wanted = { intent, model: asked.model, createdAt: task.createdAt, ...(trace && { trace }) }
    const ref = await callProvider(core, asked, find, wanted, { signal, result: emptyResult() })
    if (ref) return { kept: { ref, misses: 0, missing: 0 }, waitMs: 0 }
    return absent
  } catch (error) {
    if (signal.aborted && !isTimeout(signal)) throw error
    return misses + 1 >= MAX_SEARCHES ? gone : { kept: { misses: misses + 1 }, waitMs: pauseAfter(misses, everyMs) }
  }
}

async function poll(
  { core }: StepParts,
  task: Task,
  { support, ...asked }: PollTarget,
  signal: AbortSignal,
): Promise<TaskChange> {
  const { ref, misses, missing } = taskStateOf(task)
  if (!ref) return {}
  const result = emptyResult()
  try {
    return found(await callProvider(core, asked, support.get, ref, { signal, result }))
  } catch (error) {
    if (signal.aborted && !isTimeout(signal)) throw error
    const isMissing = result.status === 404 || (HeadgateError.is(error) && error.kind === 'not-found')
    if (isMissing && missing + 1 >= MAX_MISSING) return failed('task-unknown', 'The provider no longer knows the task.')
    const waitMs = (HeadgateError.is(error) ? error.retryAfterMs : undefined) ?? pauseAfter(misses, support.everyMs)
    return { kept: { misses: misses + 1, missing: isMissing ? missing + 1 : 0 }, waitMs }
  }
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

/** Ends a task that exceeded its time limit, unless it has ended by now. Cancels it at the upstream if possible. */
async function expire(
  parts: StepParts,
  task: Task,
  at: PollTarget | undefined,
  signal: AbortSignal,
): Promise<TaskChange> {
  const { core } = parts
  const { ref } = taskStateOf(task)
  const last = at && ref ? await poll(parts, task, at, signal) : {}
  if (last.status && isFinal({ status: last.status })) return last
  const cancel = at?.support.cancel
  if (at && cancel && ref) await callProvider(core, at, cancel, ref, { signal, result: emptyResult() }).catch(() => {})
  return {
    status: 'expired',
    kept: { failure: { kind: 'expired', message: 'The task did not end within its time limit.' } },
  }
}

/**
 * Writes a change. If it ends the task, its row is settled first.
 * @returns the newest version; undefined if the task is gone
 */
export async function writeChange(
  parts: StepParts,
  task: Task,
  change: TaskChange,
  everyMs: number,
): Promise<Task | undefined> {
  const { core, kind, options } = parts
  const next = changedTask(task, { ...change, kept: { lookedAt: Date.now(), ...change.kept } }, everyMs)
  if (isFinal(next) && !isFinal(task)) await settleTask(core, kind, next)
  return (await options.store.change(next)) ? next : options.store.get(task.id)
}

function isDue({ callback }: TaskState, now: number): boolean {
  return callback !== undefined && callback.due.length > 0 && callback.nextAt <= now
}

/** Delivers the oldest pending callback. */
async function callBack(
  { kind, options, guard, warn }: StepParts,
  task: Task,
  ended: AbortSignal,
): Promise<TaskChange> {
  const { callback } = taskStateOf(task)
  const [due, ...later] = callback?.due ?? []
  if (!callback || !due) return {}
  const at: Task = due.status === task.status ? task : { ...task, status: due.status, updatedAt: due.at }
  try {
    const body = JSON.stringify(kind.callbackBody(at, taskStateOf(task)))
    const secret = options.callbackSecret(task.owner)
    await postWebhook(
      guard,
      { id: `${task.id}-${due.status}`, url: callback.url, body, secret, time: CALLBACK_TIMEOUT_MS },
      ended,
    )
    return { kept: { callback: { ...callback, due: later, tries: 0, nextAt: 0 } } }
  } catch (error) {
    if (ended.aborted) throw error
    const again = CALLBACK_PAUSES_MS[callback.tries]
    if (again !== undefined)
      return { kept: { callback: { ...callback, tries: callback.tries + 1, nextAt: Date.now() + again } } }
    warn(`The callback of task ${task.id} was abandoned: ${HeadgateError.is(error) ? error.message : 'it failed'}.`)
    return { kept: { callback: { ...callback, due: later, tries: 0, nextAt: 0 } } }
  }
}

/** Next state. A final state never changes, and a running task is never queued again. */
function allowed(task: Task, { status = task.status }: TaskChange): TaskStatus {
  return isFinal(task) || (task.status === 'running' && status === 'queued') ? task.status : status
}

/**
 * Performs the next step of a claimed task: delivers a callback if `tells` is set, polls it, searches for it, or ends
 * it.
 * @returns the newest version; undefined if the task is gone. Rejects if the signal aborts or the store fails.
 */
export async function takeStep(
  parts: StepParts,
  task: Task,
  ended: AbortSignal,
  tells = true,
): Promise<Task | undefined> {
  const kept = taskStateOf(task)
  const at = pollTargetOf(parts, task)
  const everyMs = at?.support.everyMs ?? ABSENT_PROVIDER_MS
  const change = async (): Promise<TaskChange> => {
    const now = Date.now()
    if (tells && isDue(kept, now)) return callBack(parts, task, ended)
    if (isFinal(task)) return {}
    const signal = AbortSignal.any([ended, AbortSignal.timeout(POLL_TIMEOUT_MS)])
    if (kept.expiresAt <= now) return expire(parts, task, at, signal)
    // Another process may have its provider; do not make it wait.
    if (!at) return {}
    // It was claimed for another reason.
    if ((kept.notBefore ?? 0) > now) return {}
    return kept.ref ? poll(parts, task, at, signal) : search(parts, task, at, signal)
  }
  const next = await change()
  return writeChange(parts, task, { ...next, status: allowed(task, next) }, everyMs)
}

/** Failures of a cancellation after which the task counts as no longer cancelable. */
const NOT_CANCELABLE: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['invalid-request', 'not-found', 'conflict'])

/**
 * Cancels a claimed task that is queued at the upstream; a running task is never stopped.
 * @returns the newest version, with a status other than `cancelled` if it could not be canceled; undefined if the task
 * is gone
 * @throws HeadgateError `conflict` if canceling is not supported
 */
export async function cancelTask(parts: StepParts, task: Task, ended: AbortSignal): Promise<Task | undefined> {
  const { ref } = taskStateOf(task)
  const at = pollTargetOf(parts, task)
  const refused = (why: string) => new HeadgateError('conflict', `The task ${task.id} cannot be canceled: ${why}.`)
  if (!at || !ref) throw refused('its provider is not configured, or has not responded yet')
  const { cancel, everyMs } = at.support
  const signal = AbortSignal.any([ended, AbortSignal.timeout(POLL_TIMEOUT_MS)])
  const seen = async (): Promise<TaskChange> => {
    const change = await poll(parts, task, at, signal)
    return { ...change, status: allowed(task, change) }
  }
  const before = await seen()
  if (before.status !== 'queued') return writeChange(parts, task, before, everyMs)
  if (!cancel) throw refused(`${task.provider} does not support canceling`)
  try {
    const outcome = await callProvider(parts.core, at, cancel, ref, { signal, result: emptyResult() })
    if (outcome === 'canceled') return await writeChange(parts, task, { ...before, status: 'cancelled' }, everyMs)
  } catch (error) {
    if (!HeadgateError.is(error) || !NOT_CANCELABLE.has(error.kind)) throw errorWithGatewayId(task, error)
  }
  return writeChange(parts, task, await seen(), everyMs)
}

/** Rejects a callback URL that cannot be called, with a HeadgateError that names the field. */
export async function checkCallback(check: Promise<void>, field: string): Promise<void> {
  try {
    await check
  } catch (error) {
    const why = HeadgateError.is(error) ? error.message : 'its host was not resolved in time'
    throw invalid(field, `${field} cannot be called: ${why}. It must be a public http or https URL.`)
  }
}
