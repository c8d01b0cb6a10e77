import { setTimeout as sleep } from 'node:timers/promises'
import type { Json, Loss } from '@headgate/core/canonical'
import type { Call, TaskRef } from '@headgate/core/contract'
import { asError, HeadgateError } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import type { UsageBound } from '../../cost/bound.ts'
import { isRejection, STARTED } from '../../cost/charge.ts'
import { callCostOf, type Spending } from '../../cost/spending/spending.ts'
import { hopsOf } from '../../edge/hops.ts'
import { offStop, onStop, type StopListener } from '../../edge/stop.ts'
import type { Task } from '../../ports/tasks.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { type Candidate, subjectOf } from '../../routing/candidates.ts'
import { placeOf } from '../../routing/catalog.ts'
import { uuidv7 } from '../../uuid.ts'
import { recordCall } from '../call-record.ts'
import type { Context } from '../context.ts'
import type { Core } from '../core.ts'
import { checkPlan, PROVIDERS } from '../serve.ts'
import type { OpenedRequest, Planned } from '../served.ts'
import { upstreamAccessOf } from '../trace.ts'
import { emptyResult, isUnknown, type ReadyCall, readyCall, type TaskCall, type TaskCallResult } from './call.ts'
import { dataOf, isFinal, type TaskState, taskStateOf } from './state.ts'
import type { Tasks } from './tasks.ts'

/** Claim on a task during its creation, and the interval of its renewal, in milliseconds. */
const CLAIM_MS = 15_000
const RENEW_MS = 5_000
/**
 * Maximum time that the response waits for a failing store after the upstream has accepted the task, and the pauses
 * between tries, in milliseconds.
 */
const MAX_STORE_WAIT_MS = 5_000
const STORE_RETRIES_MS = [100, 300]
const STORE_RETRY_MS = 1_000
/** Maximum creation requests to an upstream that deduplicates them. */
const MAX_CREATIONS = 3

const UNKNOWN = 'Choose options with a known price, or another model.'

/** Plan for creating a task at a candidate. */
export interface CreationPlan<In> extends Planned<Candidate> {
  /** Losses of the translation; the adapter adds its own. */
  readonly losses: Loss[]
  readonly create: TaskCall<In, TaskRef>
  /** Declares a loss by the adapter's name of the field. */
  readonly lose: Call['lose']
  input(intent: string): In | Promise<In>
  /** Data that identifies the task if the creation gets no response. */
  trace?(input: In): Json | undefined
  /** True if repeated creations with the same intent result in one task. */
  readonly idempotent: boolean
  readonly everyMs: number
  /** Fields of the request that the task's responses repeat. */
  readonly echo: Json
}

/** Request to create a task. */
export interface Creation<In> {
  readonly id: string
  readonly model: string
  readonly tier: string
  readonly expiresAfterMs: number
  readonly callbackUrl?: string | undefined
  /** Maximum usage of a plan. */
  boundOf(plan: CreationPlan<In>): UsageBound | undefined
  /** Sends the response after an upstream has accepted the task, or may have. */
  answer(created: CreatedTask<In>): void
}

/** A task that an upstream has accepted, or may have. */
export interface CreatedTask<In> {
  readonly plan: CreationPlan<In>
  readonly task: Task
}

/**
 * Stores the outcome of a creation, with retries if the store fails. Resolves when it is stored, or when the response
 * cannot wait any longer.
 */
async function keep({ parts: { options, warn }, ended }: Tasks, task: Task): Promise<void> {
  const { ref, unanswered, attempts, losses } = taskStateOf(task)
  /** Keeps the counters of polls in the meantime. */
  const over = (newest: Task): Task => {
    const kept: TaskState = {
      ...taskStateOf(newest),
      attempts,
      losses,
      ...(ref && { ref }),
      ...(unanswered && { unanswered }),
    }
    return { ...newest, version: newest.version + 1, data: dataOf(kept) }
  }
  const tried = async (next: Task | undefined): Promise<Task | undefined> => {
    if (next && (await options.store.change(next))) return undefined
    const newest = await options.store.get(task.id)
    if (newest && !isFinal(newest)) return over(newest)
    warn(`Task ${task.id} was ended while it was being created.`)
    return undefined
  }
  const persist = async (): Promise<void> => {
    let next: Task | undefined = task
    for (let tries = 0; next && !ended.aborted; tries++) {
      try {
        next = await tried(next)
      } catch {
        await sleep(STORE_RETRIES_MS[tries] ?? STORE_RETRY_MS, undefined, { ref: false })
      }
    }
  }
  await Promise.race([persist(), sleep(MAX_STORE_WAIT_MS, undefined, { ref: false })])
}

/** Retries of an upstream: the maximum first wait, which doubles, and whether a retry is allowed. */
interface RetryPolicy {
  readonly ms: number
  may(): boolean
}

/**
 * Sends the creation to an upstream, with retries if they cannot result in a second task. Rejects with HeadgateError.
 */
async function createWithRetries(
  create: ReadyCall<TaskRef>,
  again: RetryPolicy | undefined,
  options: Parameters<ReadyCall<TaskRef>>[0],
): Promise<TaskRef> {
  const { signal, result } = options
  for (let nth = 1; ; nth++) {
    try {
      const ref = await create(options)
      if (typeof ref.id === 'string' && ref.id !== '') return ref
      throw new HeadgateError('upstream', 'The provider accepted the task without returning its id.')
    } catch (error) {
      if (!again || nth === MAX_CREATIONS || signal.aborted || !isUnknown(result) || !again.may()) throw error
      // This try may have succeeded, independent of the next response.
      result.unsure = true
      await sleep(again.ms * 2 ** nth * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
    }
  }
}

/** State of a request that creates a task. */
interface Creating<In> extends Creation<In> {
  readonly core: Core
  readonly context: Context
  readonly tasks: Tasks
  /** Idempotency key for upstreams that support one; also the id of the usage row. */
  readonly intent: string
  /** Newest version in the store. */
  task: Task | undefined
  created: CreatedTask<In> | undefined
}

function stateFor<In>(
  { context, intent, expiresAfterMs, callbackUrl }: Creating<In>,
  plan: CreationPlan<In>,
  input: In,
): TaskState {
  const trace = plan.trace?.(input)
  const { startedAt } = context
  return {
    intent,
    requestId: context.id,
    ...(context.tags && { tags: context.tags }),
    ...(context.endUser !== undefined && { endUser: context.endUser }),
    ...(context.session !== undefined && { session: context.session }),
    ...(trace && { trace }),
    expiresAt: startedAt + expiresAfterMs,
    losses: plan.losses,
    attempts: context.attempts,
    asked: plan.echo,
    misses: 0,
    missing: 0,
    ...(callbackUrl !== undefined && {
      callback: { url: callbackUrl, due: [{ status: 'queued', at: startedAt }], tries: 0, nextAt: 0 },
    }),
  }
}

function versionFor<In>(creating: Creating<In>, plan: CreationPlan<In>, kept: TaskState): Task {
  const { context, tasks, task } = creating
  const { startedAt } = context
  return {
    id: creating.id,
    family: tasks.parts.kind.family,
    owner: context.principal.id,
    model: creating.model,
    provider: placeOf(plan.candidate.instance, plan.candidate.endpoint),
    providerModel: plan.candidate.model,
    tier: creating.tier,
    status: 'queued',
    createdAt: startedAt,
    updatedAt: startedAt,
    // Not before the creating process must be gone.
    nextAt: Date.now() + CLAIM_MS,
    version: (task?.version ?? 0) + 1,
    data: dataOf(kept),
  }
}

/** Stores that a candidate is about to be called. */
async function intend<In>(creating: Creating<In>, plan: CreationPlan<In>, input: In): Promise<void> {
  const { store } = creating.tasks.parts.options
  const next = versionFor(creating, plan, stateFor(creating, plan, input))
  try {
    if (!creating.task) await store.add(next, Date.now() + CLAIM_MS)
    else if (!(await store.change(next))) throw new Error('The task has ended in the meantime.')
    else await store.hold(next.id, Date.now() + CLAIM_MS)
    creating.task = next
  } catch (cause) {
    throw new HeadgateError(
      'unavailable',
      'The gateway cannot store the task now, so it did not create it. Try again later.',
      { cause },
    )
  }
}

/** Stores the outcome of a creation. Without a reference, it is unknown whether the upstream has the task. */
async function ended<In>(
  creating: Creating<In>,
  plan: CreationPlan<In>,
  ref: TaskRef | undefined,
  spending: Spending | undefined,
): Promise<void> {
  const { task, context } = creating
  if (!task) return
  const kept: TaskState = {
    ...taskStateOf(task),
    attempts: context.attempts,
    losses: plan.losses,
    ...(ref ? { ref } : { unanswered: true }),
  }
  const moment = Date.now()
  const next: Task = {
    ...task,
    version: task.version + 1,
    nextAt: kept.callback || !ref ? moment : Math.ceil(moment + plan.everyMs),
    data: dataOf(kept),
  }
  creating.created = { plan, task: next }
  spending?.handOver()
  await keep(creating.tasks, next)
}

/** Sends the creation and records its attempt. */
function callOnce<In>(
  { core, context }: Creating<In>,
  plan: CreationPlan<In>,
  create: ReadyCall<TaskRef>,
  signal: AbortSignal,
  result: TaskCallResult,
): Promise<TaskRef> {
  const { name } = plan.candidate.instance
  const { provider } = plan.candidate.endpoint
  const isLocal = 'run' in plan.create
  const again: RetryPolicy = { ms: core.times.backoff, may: () => core.retries.mayRetry(name, now()) }
  return recordCall(context, { ...subjectOf(plan.candidate), billing: provider.billing }, (note) =>
    createWithRetries(create, plan.idempotent ? again : undefined, {
      signal,
      result,
      hops: hopsOf(context.incoming),
      wire: upstreamAccessOf(core, context, name, provider),
    })
      .catch((error: unknown) => {
        note.refused = isLocal ? isRejection(error) : result.refused && (result.status ?? 0) >= 400
        throw error
      })
      .finally(() => {
        note.row.status = result.status
        note.call = isLocal ? STARTED : result.call
      }),
  )
}

/**
 * Creates the task at a candidate. Rejects if it cannot be known whether the candidate has created it, because then no
 * other candidate may be called.
 */
async function attemptCreation<In>(
  creating: Creating<In>,
  plan: CreationPlan<In>,
  spending: Spending | undefined,
): Promise<AttemptOutcome> {
  const { core, context, intent } = creating
  const { candidate, lose } = plan
  const abort = new AbortController()
  // A caller that leaves still gets its task: it can look it up later.
  const stop: StopListener = (error) => error.kind !== 'canceled' && abort.abort(error)
  const result = emptyResult()
  try {
    const input = await plan.input(intent)
    if (context.stopped) throw context.stopped
    onStop(context, stop)
    const create = readyCall(core, candidate, plan.create, input, { lose, isOnce: !plan.idempotent })
    checkPlan(context, PROVIDERS, plan)
    const price = core.priceOf(candidate, context.startedAt)
    await spending?.reserve(callCostOf(subjectOf(candidate), price, creating.boundOf(plan), UNKNOWN))
    await intend(creating, plan, input)
    const ref = await callOnce(creating, plan, create, abort.signal, result)
    await ended(creating, plan, ref, spending)
    return 'served'
  } catch (error) {
    const failure = asError(error)
    if (!isUnknown(result)) return failure
    await ended(creating, plan, undefined, spending)
    const { kind, code, upstreamStatus } = failure
    if (!abort.signal.aborted)
      core.health.failed(subjectOf(candidate), { kind, code, upstreamStatus, isUnanswered: true }, now())
    throw failure
  } finally {
    offStop(context, stop)
  }
}

/**
 * Creation of a task at the first candidate that accepts it. The task is stored before any provider is called: if the
 * response of an upstream remains unknown, the task is searched for and not created again.
 */
export function creationOf<In>(
  core: Core,
  context: Context,
  tasks: Tasks,
  creation: Creation<In>,
): Pick<OpenedRequest<Candidate, CreationPlan<In>>, 'call' | 'failed' | 'around'> {
  const { store } = tasks.parts.options
  const intent = uuidv7()
  // The row of the task settles this reservation.
  context.rowId = intent
  const creating: Creating<In> = { ...creation, core, context, tasks, intent, task: undefined, created: undefined }
  const renew = (): void => {
    const { task, created } = creating
    if (task && !created) store.hold(task.id, Date.now() + CLAIM_MS).catch(() => {})
  }
  return {
    call: (plan, spending) => attemptCreation(creating, plan, spending),
    async failed() {
      const { task } = creating
      if (task) await store.remove(task.id, task.version).catch(() => {})
    },
    async around(run) {
      const renewing = setInterval(renew, RENEW_MS).unref()
      try {
        await run()
      } catch (error) {
        if (!creating.created) throw error
      } finally {
        clearInterval(renewing)
      }
      if (!creating.created) throw new HeadgateError('internal', 'The task was lost.')
      creating.answer(creating.created)
    },
  }
}
