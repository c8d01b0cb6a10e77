import type { TaskStatus } from '@headgate/core/contract'
import { type ErrorKind, HeadgateError, invalid } from '@headgate/core/errors'
import type { Guard } from '../../http/guard.ts'
import { postWebhook } from '../../http/webhook.ts'
import type { Task, TaskOptions } from '../../ports/tasks.ts'
import type { Instance } from '../../routing/catalog.ts'
import type { Core } from '../core.ts'
import { type Asked, askProvider, nothingTold } from './ask.ts'
import { type Change, changedTask } from './change.ts'
import { type GatewayReason, isFinal, type Kept, keptOf, ownError } from './kept.ts'
import type { Looked, TaskKind, TaskSupport } from './kind.ts'
import { settleTask } from './settle.ts'

/** So many looks in a row that do not find a task mean that it is gone. */
const MOST_MISSING = 3
/** So many failures to look for a creation end it. */
const MOST_SEARCHES = 10
/** How long it is waited for whoever may still know what came of a creation, each time, in milliseconds. */
const MAY_COME = 5_000
const LONGEST_PAUSE = 60_000
/** How long one look may take, and a call back, in milliseconds. */
const LOOK = 30_000
const CALL_BACK = 5_000
/** A callback is tried again after so many milliseconds, and so on. */
const CALLED_AGAIN = [5_000, 15_000, 60_000, 300_000, 600_000, 600_000, 600_000]
/** While its provider is not there, in milliseconds. */
const ABSENT = 60_000

/** What is needed to take a task further. */
export interface StepParts {
  readonly core: Core
  readonly kind: TaskKind
  readonly options: TaskOptions
  readonly guard: Guard
  readonly warn: (message: string) => void
}

interface At extends Asked {
  readonly support: TaskSupport
}

function whereOf({ core, kind }: StepParts, task: Task): At | undefined {
  const instance: Instance | undefined = core.instances.find(({ name }) => name === task.provider)
  const support = instance && kind.support(instance.provider)
  return instance && support ? { instance, model: task.providerModel, support } : undefined
}

/** Milliseconds until a task is looked at again whose look has failed. */
function pauseAfter(misses: number, everyMs: number): number {
  return Math.min(LONGEST_PAUSE, everyMs * 2 ** Math.min(misses, 10))
}

function failed(kind: GatewayReason, message: string): Change {
  return { status: 'failed', kept: { failure: { kind, message } } }
}

/** What a look has found, as a change. */
function found({ status, got, usage, failure, retryAfterMs }: Looked): Change {
  return {
    status,
    kept: { got, misses: 0, missing: 0, ...(usage && { usage }), ...(failure && { failure }) },
    ...(retryAfterMs !== undefined && { waitMs: retryAfterMs }),
  }
}

/** Looks for a task whose creation was not answered. */
async function search(
  { core }: StepParts,
  task: Task,
  { support, ...asked }: At,
  signal: AbortSignal,
): Promise<Change> {
  const { intent, trace, misses, missing, unanswered } = keptOf(task)
  const { find, everyMs } = support
  const gone = failed(
    'creation-unknown',
    'The provider did not answer when the task was created, and it does not list the task. It is not charged.',
  )
  const again = missing + 1 < MOST_MISSING
  const pause = unanswered ? pauseAfter(missing, everyMs) : Math.max(MAY_COME, everyMs)
  const absent: Change = again ? { kept: { missing: missing + 1 }, waitMs: pause } : gone
  if (!find) return unanswered ? gone : absent
  try {
    const wanted = { intent, model: asked.model, createdAt: task.createdAt, ...(trace && { trace }) }
    const ref = await askProvider(core, asked, find, wanted, { signal, told: nothingTold() })
    if (ref) return { kept: { ref, misses: 0, missing: 0 }, waitMs: 0 }
    return absent
  } catch (error) {
    if (signal.aborted && !isTimeout(signal)) throw error
    return misses + 1 >= MOST_SEARCHES ? gone : { kept: { misses: misses + 1 }, waitMs: pauseAfter(misses, everyMs) }
  }
}

async function look({ core }: StepParts, task: Task, { support, ...asked }: At, signal: AbortSignal): Promise<Change> {
  const { ref, misses, missing } = keptOf(task)
  if (!ref) return {}
  const told = nothingTold()
  try {
    return found(await askProvider(core, asked, support.get, ref, { signal, told }))
  } catch (error) {
    if (signal.aborted && !isTimeout(signal)) throw error
    const isMissing = told.status === 404 || (HeadgateError.is(error) && error.kind === 'not-found')
    if (isMissing && missing + 1 >= MOST_MISSING)
      return failed('task-unknown', 'The provider no longer knows the task.')
    const waitMs = (HeadgateError.is(error) ? error.retryAfterMs : undefined) ?? pauseAfter(misses, support.everyMs)
    return { kept: { misses: misses + 1, missing: isMissing ? missing + 1 : 0 }, waitMs }
  }
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

/** Ends what has taken longer than it may, unless it is over by now; at the upstream too where it can be. */
async function expire(parts: StepParts, task: Task, at: At | undefined, signal: AbortSignal): Promise<Change> {
  const { core } = parts
  const { ref } = keptOf(task)
  const last = at && ref ? await look(parts, task, at, signal) : {}
  if (last.status && isFinal({ status: last.status })) return last
  const cancel = at?.support.cancel
  if (at && cancel && ref) await askProvider(core, at, cancel, ref, { signal, told: nothingTold() }).catch(() => {})
  return {
    status: 'expired',
    kept: { failure: { kind: 'expired', message: 'The task did not end within its time limit.' } },
  }
}

/**
 * Writes a change; where it ends the task, after its row is there. @returns the newest version, undefined where the
 * task is gone.
 */
export async function writeChange(
  parts: StepParts,
  task: Task,
  change: Change,
  everyMs: number,
): Promise<Task | undefined> {
  const { core, kind, options } = parts
  const next = changedTask(task, { ...change, kept: { lookedAt: Date.now(), ...change.kept } }, everyMs)
  if (isFinal(next) && !isFinal(task)) await settleTask(core, kind, next)
  return (await options.store.change(next)) ? next : options.store.get(task.id)
}

function isDue({ callback }: Kept, now: number): boolean {
  return callback !== undefined && callback.due.length > 0 && callback.nextAt <= now
}

/** Tells of the oldest change of state that was not told yet. */
async function callBack({ kind, options, guard, warn }: StepParts, task: Task, ended: AbortSignal): Promise<Change> {
  const { callback } = keptOf(task)
  const [due, ...later] = callback?.due ?? []
  if (!callback || !due) return {}
  const at: Task = due.status === task.status ? task : { ...task, status: due.status, updatedAt: due.at }
  try {
    const body = JSON.stringify(kind.told(at, keptOf(task)))
    const secret = options.callbackSecret(task.owner)
    await postWebhook(
      guard,
      { id: `${task.id}-${due.status}`, url: callback.url, body, secret, time: CALL_BACK },
      ended,
    )
    return { kept: { callback: { ...callback, due: later, tries: 0, nextAt: 0 } } }
  } catch (error) {
    if (ended.aborted) throw error
    const again = CALLED_AGAIN[callback.tries]
    if (again !== undefined)
      return { kept: { callback: { ...callback, tries: callback.tries + 1, nextAt: Date.now() + again } } }
    warn(`The callback of task ${task.id} was given up: ${HeadgateError.is(error) ? error.message : 'it failed'}.`)
    return { kept: { callback: { ...callback, due: later, tries: 0, nextAt: 0 } } }
  }
}

/** The state that follows: what is over stays so, and what has begun waits no more. */
function allowed(task: Task, { status = task.status }: Change): TaskStatus {
  return isFinal(task) || (task.status === 'running' && status === 'queued') ? task.status : status
}

/**
 * Takes a task that was claimed one step further: tells somebody where `tells`, looks at it, looks for it, or ends it.
 * @returns the newest version, undefined where the task is gone. Rejects where the signal aborts, or the store fails.
 */
export async function takeStep(
  parts: StepParts,
  task: Task,
  ended: AbortSignal,
  tells = true,
): Promise<Task | undefined> {
  const kept = keptOf(task)
  const at = whereOf(parts, task)
  const everyMs = at?.support.everyMs ?? ABSENT
  const change = async (): Promise<Change> => {
    const now = Date.now()
    if (tells && isDue(kept, now)) return callBack(parts, task, ended)
    if (isFinal(task)) return {}
    const signal = AbortSignal.any([ended, AbortSignal.timeout(LOOK)])
    if (kept.expiresAt <= now) return expire(parts, task, at, signal)
    // Another process may have its provider, and need not wait.
    if (!at) return {}
    // It is its turn for something else.
    if ((kept.notBefore ?? 0) > now) return {}
    return kept.ref ? look(parts, task, at, signal) : search(parts, task, at, signal)
  }
  const made = await change()
  return writeChange(parts, task, { ...made, status: allowed(task, made) }, everyMs)
}

/** Failures of a cancel that say that the task is not there to be canceled. */
const LATE: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['invalid-request', 'not-found', 'conflict'])

/**
 * Cancels a task that was claimed, where it waits at the upstream: what has begun is never stopped.
 * @returns the newest version, in another state than `cancelled` where it could not be; undefined where the task is
 * gone.
 * @throws HeadgateError `conflict` where nobody can cancel it.
 */
export async function cancelTask(parts: StepParts, task: Task, ended: AbortSignal): Promise<Task | undefined> {
  const { ref } = keptOf(task)
  const at = whereOf(parts, task)
  const refused = (why: string) => new HeadgateError('conflict', `The task ${task.id} can not be canceled: ${why}.`)
  if (!at || !ref) throw refused('its provider is not there, or has not answered yet')
  const { cancel, everyMs } = at.support
  const signal = AbortSignal.any([ended, AbortSignal.timeout(LOOK)])
  const seen = async (): Promise<Change> => {
    const change = await look(parts, task, at, signal)
    return { ...change, status: allowed(task, change) }
  }
  const before = await seen()
  if (before.status !== 'queued') return writeChange(parts, task, before, everyMs)
  if (!cancel) throw refused(`${task.provider} can not cancel`)
  try {
    const outcome = await askProvider(parts.core, at, cancel, ref, { signal, told: nothingTold() })
    if (outcome === 'canceled') return await writeChange(parts, task, { ...before, status: 'cancelled' }, everyMs)
  } catch (error) {
    if (!HeadgateError.is(error) || !LATE.has(error.kind)) throw ownError(task, error)
  }
  return writeChange(parts, task, await seen(), everyMs)
}

/** Refuses an address that nobody is called back at. Rejects with HeadgateError that names the field. */
export async function checkCallback(check: Promise<void>, field: string): Promise<void> {
  try {
    await check
  } catch (error) {
    const why = HeadgateError.is(error) ? error.message : 'it can not be resolved in time'
    throw invalid(field, `${field} can not be called: ${why}. It must be a public http or https address.`)
  }
}
