import { setTimeout as sleep } from 'node:timers/promises'
import { HeadgateError, traceOf } from '@headgate/core/errors'
import { createGuard } from '../../http/guard.ts'
import type { Task, TaskClaim, TaskOptions } from '../../ports/tasks.ts'
import { endpointAt, placeOf } from '../../routing/catalog.ts'
import type { Core } from '../core.ts'
import type { TaskKind } from './kind.ts'
import { isFinal, taskStateOf } from './state.ts'
import { cancelTask, type StepParts, takeStep } from './step.ts'

/** Duration of a claim on a task in milliseconds. If a process dies, its tasks are free again after this time. */
const CLAIM_MS = 45_000
/** Concurrent polls. */
const MAX_CONCURRENT = 32
/** Interval between searches for due tasks, in milliseconds. */
const TICK_MS = 1_000
const BUSY_TICK_MS = 100
/** Maximum tries, and the pause between them in milliseconds, to claim a task that another process has claimed. */
const MAX_TRIES = 30
const RETRY_MS = 100
/** Pause after a failure of the store, in milliseconds. */
const STORE_RETRY_MS = 5_000
/** Polls per second of a provider without a declared rate. */
const DEFAULT_POLLS_PER_SECOND = 10

/** Tasks of a family in one process. Open tasks are polled until they end. */
export interface Tasks {
  readonly parts: StepParts
  /** Aborts when the tasks are closed. */
  readonly ended: AbortSignal
  /**
   * Polls a task, unless it was polled a moment ago or the upstream must not be polled yet; then returns it unchanged.
   */
  refresh(task: Task): Promise<Task | undefined>
  /**
   * Cancels a queued task.
   * @returns the newest version, with a status other than `cancelled` if it could not be canceled
   * @throws HeadgateError `conflict` if canceling is not supported
   */
  cancel(task: Task): Promise<Task | undefined>
  close(): Promise<void>
}

/** Background polling of open tasks, several at a time. */
interface TaskPoller {
  /** Claims tasks in the store, so that no other process polls them for a while. */
  claim(asked: Pick<TaskClaim, 'limit' | 'id'>): Promise<readonly Task[]>
  /** Performs the next step of a task. */
  step(task: Task, tells?: boolean): Promise<Task | undefined>
  /** Adds work that `close` waits for. */
  track<T>(promise: Promise<T>): Promise<T>
  close(): Promise<void>
}

function pacesOf(core: Core, kind: TaskKind): Record<string, number> {
  const paces: Record<string, number> = {}
  for (const instance of core.instances)
    for (const endpoint of instance.endpoints) {
      const support = kind.support(endpoint.provider)
      if (support) paces[placeOf(instance, endpoint)] = support.perSecond
    }
  return paces
}

/** Starts polling the open tasks of a family. */
function startPolling(parts: StepParts, ending: AbortController): TaskPoller {
  const { core, kind, options, warn } = parts
  const { signal } = ending
  const running = new Set<Promise<unknown>>()
  const paces = pacesOf(core, kind)
  let timer: NodeJS.Timeout | undefined
  let failing = false

  const claim: TaskPoller['claim'] = (asked) =>
    options.store.claim({
      family: kind.family,
      now: Date.now(),
      holdMs: CLAIM_MS,
      paces,
      pace: DEFAULT_POLLS_PER_SECOND,
      ...asked,
    })
  const step: TaskPoller['step'] = async (task, tells = true) => {
    try {
      return await takeStep(parts, task, signal, tells)
    } catch (error) {
      // Another process may continue immediately; here it would fail again.
      await options.store.hold(task.id, signal.aborted ? 0 : Date.now() + STORE_RETRY_MS).catch(() => {})
      if (!signal.aborted) warn(`Task ${task.id} could not be processed: ${traceOf(error)}`)
      return undefined
    }
  }
  const track = <T>(promise: Promise<T>): Promise<T> => {
    const tracked = promise.finally(() => running.delete(tracked))
    running.add(tracked)
    return tracked
  }
  const next = (ms: number): void => {
    if (!signal.aborted) timer = setTimeout(() => void track(tick()), ms).unref()
  }
  const tick = async (): Promise<void> => {
    let pause = TICK_MS
    try {
      const limit = MAX_CONCURRENT - running.size + 1
      const taken = limit > 0 ? await claim({ limit }) : []
      failing = false
      if (taken.length > 0) pause = BUSY_TICK_MS
      for (const task of taken) void track(step(task))
    } catch (error) {
      if (!failing)
        warn(`Tasks of ${kind.family} cannot be polled: ${error instanceof Error ? error.message : String(error)}`)
      failing = true
      pause = STORE_RETRY_MS
    }
    next(pause)
  }
  next(0)
  return {
    claim,
    step,
    track,
    async close() {
      ending.abort(new Error('The gateway is closed.'))
      clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

export function createTasks(core: Core, kind: TaskKind, options: TaskOptions, warn: (message: string) => void): Tasks {
  const guard = createGuard({ allowPrivate: options.allowPrivateCallbacks })
  const parts: StepParts = { core, kind, options, guard, warn }
  const ending = new AbortController()
  const { claim, step, track, close } = startPolling(parts, ending)

  /** Claims one task, as soon as no other process has it. */
  const claimed = async (id: string): Promise<Task> => {
    for (let tries = 0; tries < MAX_TRIES && !ending.signal.aborted; tries++) {
      const [taken] = await claim({ limit: 1, id })
      if (taken) return taken
      await sleep(RETRY_MS, undefined, { ref: false })
    }
    throw new HeadgateError('conflict', `The task ${id} is being polled. Try again.`)
  }

  return {
    parts,
    ended: ending.signal,
    async refresh(task) {
      const place = endpointAt(core.instances, task.provider)
      const everyMs = (place && kind.support(place.endpoint.provider)?.everyMs) ?? TICK_MS
      const { ref, lookedAt = 0, notBefore = 0 } = taskStateOf(task)
      const isKnown = Date.now() - lookedAt < Math.min(everyMs, TICK_MS) || notBefore > Date.now()
      if (isFinal(task) || !ref || isKnown) return task
      const [taken] = await claim({ limit: 1, id: task.id })
      if (!taken || isFinal(taken)) {
        if (taken) await options.store.hold(task.id, 0)
        return taken ?? task
      }
      return (await track(step(taken, false))) ?? options.store.get(task.id)
    },
    async cancel(task) {
      const { id } = task
      if (!taskStateOf(task).ref) throw new HeadgateError('conflict', `The task ${id} is being created. Try again.`)
      const taken = await claimed(id)
      try {
        if (!isFinal(taken)) return await track(cancelTask(parts, taken, ending.signal))
      } catch (error) {
        await options.store.hold(id, 0)
        throw error
      }
      await options.store.hold(id, 0)
      return taken
    },
    close,
  }
}
