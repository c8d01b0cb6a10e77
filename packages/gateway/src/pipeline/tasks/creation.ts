import { setTimeout as sleep } from 'node:timers/promises'
import type { Json, Loss } from '@headgate/core/canonical'
import type { Call, TaskRef } from '@headgate/core/contract'
import { asError, HeadgateError } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import { hopsOf } from '../../edge/hops.ts'
import type { Task } from '../../ports/tasks.ts'
import type { Outcome } from '../../routing/attempts.ts'
import type { Candidate } from '../../routing/candidates.ts'
import type { Subject } from '../../routing/health.ts'
import { uuidv7 } from '../../uuid.ts'
import type { Bound } from '../bound.ts'
import { isRejection, STARTED } from '../charge.ts'
import { type Context, offStop, onStop, type StopListener } from '../context.ts'
import type { Core } from '../core.ts'
import { askWithinDeadline } from '../deadline.ts'
import { noted } from '../noted.ts'
import { settleRow } from '../row.ts'
import { expenseOf, spendingOf } from '../spending/spending.ts'
import { wireOf } from '../trace.ts'
import { isUnknown, nothingTold, type ReadyCall, readyCall, type TaskCall } from './ask.ts'
import { dataOf, isFinal, type Kept, keptOf } from './kept.ts'
import type { Tasks } from './tasks.ts'

/** How long a task that is being created is nobody else's, and how often that is renewed, in milliseconds. */
const HOLD = 15_000
const RENEW = 5_000
/**
 * How long the answer waits for a store that does not take what the upstream has accepted, and how often that is tried,
 * in milliseconds.
 */
const PATIENCE = 5_000
const AGAIN = [100, 300]
const THEN = 1_000
/** How often an upstream is asked that makes one task of two requests. */
const MOST_CREATIONS = 3

const UNKNOWN = 'Ask for something whose price is known beforehand, or name another model.'

/** How a candidate is asked to create a task. */
export interface CreationPlan<In> {
  readonly candidate: Candidate
  /** Those of its translation; what the adapter declares is added. */
  readonly losses: Loss[]
  readonly create: TaskCall<In, TaskRef>
  /** Declares a loss by the adapter's name of the field. */
  readonly lose: Call['lose']
  input(intent: string): In | Promise<In>
  /** What finds the task where the creation is not answered. */
  trace?(input: In): Json | undefined
  /** Creating twice with one intent makes one task. */
  readonly idempotent: boolean
  readonly everyMs: number
  /** What of the request the task's answers repeat. */
  readonly echo: Json
}

/** What is asked for, whoever does it. */
export interface Creation<In> {
  readonly id: string
  readonly model: string
  readonly tier: string
  readonly expiresAfterMs: number
  readonly callbackUrl?: string | undefined
  readonly plans: Iterable<CreationPlan<In>>
  /** Refuses what a caller does not want to be lost. */
  checkLosses(plan: CreationPlan<In>): void
  /** The most that a plan can use. */
  boundOf(plan: CreationPlan<In>): Bound | undefined
}

/** A task that an upstream has, or may have. */
export interface Created<In> {
  readonly plan: CreationPlan<In>
  readonly task: Task
}

/**
 * Keeps what came of a creation, however long the store does not take it. Resolves when it has, or the answer can wait
 * no longer.
 */
async function keep({ parts: { options, warn }, ended }: Tasks, task: Task): Promise<void> {
  const { ref, unanswered, attempts, losses } = keptOf(task)
  /** Whoever looked for it meanwhile has counted that. */
  const over = (newest: Task): Task => {
    const kept: Kept = { ...keptOf(newest), attempts, losses, ...(ref && { ref }), ...(unanswered && { unanswered }) }
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
        await sleep(AGAIN[tries] ?? THEN, undefined, { ref: false })
      }
    }
  }
  await Promise.race([persist(), sleep(PATIENCE, undefined, { ref: false })])
}

/** How often an upstream may be asked again: the first wait at most, which doubles, and whether it may be. */
interface Again {
  readonly ms: number
  may(): boolean
}

/** Asks an upstream to create, again where that makes no second task. Rejects with HeadgateError. */
async function answered(
  create: ReadyCall<TaskRef>,
  again: Again | undefined,
  made: Parameters<ReadyCall<TaskRef>>[0],
): Promise<TaskRef> {
  const { signal, told } = made
  for (let nth = 1; ; nth++) {
    try {
      const ref = await create(made)
      if (typeof ref.id === 'string' && ref.id !== '') return ref
      throw new HeadgateError('upstream', 'The provider took the task, and did not say its id.')
    } catch (error) {
      if (!again || nth === MOST_CREATIONS || signal.aborted || !isUnknown(told) || !again.may()) throw error
      // Whatever is answered next, this one may have been carried out.
      told.unsure = true
      await sleep(again.ms * 2 ** nth * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
    }
  }
}

function subjectOf<In>({ candidate: { instance, model } }: CreationPlan<In>): Subject {
  return { provider: instance.name, model }
}

/**
 * Creates a task at the first candidate that takes it. It is kept before anybody is asked: when the answer of an
 * upstream is never known, the task is looked for, and not created again. Rejects with HeadgateError where nobody has
 * it.
 */
export async function createTask<In>(
  core: Core,
  context: Context,
  tasks: Tasks,
  creation: Creation<In>,
): Promise<Created<In>> {
  const { kind, options } = tasks.parts
  const { store } = options
  const intent = uuidv7()
  const createdAt = context.startedAt
  // What settles the task settles what is reserved for it, whoever that will be.
  context.rowId = intent
  const spending = spendingOf(core, context, {
    family: kind.family,
    format: kind.format,
    model: creation.model,
    at: createdAt,
  })
  let task: Task | undefined
  let created: Created<In> | undefined

  const keptFor = (plan: CreationPlan<In>, input: In): Kept => {
    const trace = plan.trace?.(input)
    return {
      intent,
      requestId: context.id,
      ...(context.tags && { tags: context.tags }),
      ...(trace && { trace }),
      expiresAt: createdAt + creation.expiresAfterMs,
      losses: plan.losses,
      attempts: context.attempts,
      asked: plan.echo,
      misses: 0,
      missing: 0,
      ...(creation.callbackUrl !== undefined && {
        callback: { url: creation.callbackUrl, due: [{ status: 'queued', at: createdAt }], tries: 0, nextAt: 0 },
      }),
    }
  }
  const versionFor = (plan: CreationPlan<In>, kept: Kept): Task => ({
    id: creation.id,
    family: kind.family,
    owner: context.principal.id,
    model: creation.model,
    provider: plan.candidate.instance.name,
    providerModel: plan.candidate.model,
    tier: creation.tier,
    status: 'queued',
    createdAt,
    updatedAt: createdAt,
    // Not before its creator is surely gone.
    nextAt: Date.now() + HOLD,
    version: (task?.version ?? 0) + 1,
    data: dataOf(kept),
  })
  /** Keeps that a candidate is about to be asked. */
  const intend = async (plan: CreationPlan<In>, input: In): Promise<void> => {
    const next = versionFor(plan, keptFor(plan, input))
    try {
      if (!task) await store.add(next, Date.now() + HOLD)
      else if (!(await store.change(next))) throw new Error('It was ended meanwhile.')
      else await store.hold(next.id, Date.now() + HOLD)
      task = next
    } catch (cause) {
      throw new HeadgateError(
        'unavailable',
        'The gateway cannot store the task now, so it did not create it. Try again later.',
        { cause },
      )
    }
  }

  const again = ({ instance: { name } }: Candidate): Again => ({
    ms: core.times.backoff,
    may: () => core.retries.mayAgain(name, now()),
  })
  const attempt = async (plan: CreationPlan<In>): Promise<Outcome> => {
    const abort = new AbortController()
    // Who leaves has asked for a task all the same: it is there when they look for it.
    const stop: StopListener = (error) => error.kind !== 'cancelled' && abort.abort(error)
    const told = nothingTold()
    const ended = async (ref: TaskRef | undefined): Promise<void> => {
      if (!task) return
      const kept: Kept = {
        ...keptOf(task),
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
      created = { plan, task: next }
      spending?.handOver()
      await keep(tasks, next)
    }
    try {
      const input = await plan.input(intent)
      if (context.stopped) throw context.stopped
      onStop(context, stop)
      const { candidate, lose } = plan
      const isLocal = 'run' in plan.create
      const create = readyCall(core, candidate, plan.create, input, { lose, isOnce: !plan.idempotent })
      creation.checkLosses(plan)
      await spending?.reserve(
        expenseOf(subjectOf(plan), core.priceOf(candidate, createdAt), creation.boundOf(plan), UNKNOWN),
      )
      await intend(plan, input)
      const ref = await noted(context, { ...subjectOf(plan), billing: candidate.instance.provider.billing }, (note) =>
        answered(create, plan.idempotent ? again(candidate) : undefined, {
          signal: abort.signal,
          told,
          hops: hopsOf(context.incoming),
          wire: wireOf(core, context, candidate.instance.name, candidate.instance.provider),
        })
          .catch((error: unknown) => {
            note.refused = isLocal ? isRejection(error) : told.refused && (told.status ?? 0) >= 400
            throw error
          })
          .finally(() => {
            note.row.status = told.status
            note.call = isLocal ? STARTED : told.call
          }),
      )
      await ended(ref)
      return 'served'
    } catch (error) {
      const failure = asError(error)
      if (!isUnknown(told)) return failure
      await ended(undefined)
      if (!abort.signal.aborted) core.health.failed(subjectOf(plan), failure, now())
      // Nobody else is asked.
      throw failure
    } finally {
      offStop(context, stop)
    }
  }

  let last: CreationPlan<In> | undefined
  const renew = (): void => {
    if (task && !created) store.hold(task.id, Date.now() + HOLD).catch(() => {})
  }
  const renewing = setInterval(renew, RENEW).unref()
  let failure: HeadgateError | undefined
  try {
    const outcome = await askWithinDeadline(core, context, {
      candidates: creation.plans,
      subjectOf,
      attempt(plan) {
        last = plan
        return attempt(plan)
      },
    })
    if (outcome !== 'served') failure = outcome
  } catch (error) {
    failure = asError(error)
  } finally {
    clearInterval(renewing)
  }
  if (created) return created
  failure ??= new HeadgateError('internal', 'The task was lost.')
  if (task) await store.remove(task.id, task.version).catch(() => {})
  if (last && context.attempts.length > 0) {
    const [status, why] = context.gone ? [499, 'cancelled'] : [failure.status, 'failed']
    await settleRow(core, context, {
      family: kind.family,
      format: kind.format,
      model: creation.model,
      provider: last.candidate.instance.name,
      providerModel: last.candidate.model,
      stream: false,
      translated: true,
      status,
      usage: undefined,
      estimated: undefined,
      servedFrom: undefined,
      billing: () => ({ billed: false, why }),
      finish: undefined,
      failure: failure.kind,
      losses: last.losses,
    })
  }
  throw failure
}
