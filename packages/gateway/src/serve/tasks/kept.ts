import type { Json, Loss, Usage } from '@headgate/core/canonical'
import type { TaskRef, TaskStatus } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import type { AttemptRow } from '../../ports/ledger.ts'
import type { Task } from '../../ports/tasks.ts'

/** A change of state that a callback is owed for. */
export interface DueCallback {
  readonly status: TaskStatus
  /** Unix time in milliseconds. */
  readonly at: number
}

export interface KeptCallback {
  readonly url: string
  /** Oldest first. */
  readonly due: readonly DueCallback[]
  /** How often the oldest was tried. */
  readonly tries: number
  /** When it is tried next, Unix time in milliseconds. */
  readonly nextAt: number
}

/** Reasons of the gateway: the creation was not answered, the provider no longer knows the task, it took too long. */
export type GatewayReason = 'creation-unknown' | 'task-unknown' | 'expired'

/** Reason why a task failed. */
export interface TaskFailure {
  /** A {@link GatewayReason} or a kind of its family. */
  readonly kind: string
  readonly message: string
}

/** Data of a task in addition to its columns. JSON, without anything that the caller wrote to the model. */
export interface Kept {
  /** One for each creation, known to the upstream where it takes one; also the id of its usage row. */
  readonly intent: string
  /** Id of the request that created it. */
  readonly requestId: string
  /** What its caller said of it. */
  readonly tags?: Readonly<Record<string, string>>
  /** Absent until the upstream's answer to the creation is known. */
  readonly ref?: TaskRef
  /** Nobody waits for that answer any more. */
  readonly unanswered?: true
  /** What finds it where that is never known. */
  readonly trace?: Json
  /** Unix time in milliseconds. */
  readonly expiresAt: number
  readonly losses: readonly Loss[]
  /** Those of its creation. */
  readonly attempts: readonly AttemptRow[]
  /** What of the request its answers repeat. */
  readonly asked: Json
  /** What the family read of the upstream's newest answer. */
  readonly got?: Json
  readonly usage?: Usage
  readonly failure?: TaskFailure
  /** When it was looked at last. */
  readonly lookedAt?: number
  /** Until when the upstream must not be asked, Unix time in milliseconds. */
  readonly notBefore?: number
  /** Looks in a row that failed. */
  readonly misses: number
  /** Looks in a row that did not find it. */
  readonly missing: number
  readonly callback?: KeptCallback
}

const FINAL: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['succeeded', 'failed', 'cancelled', 'expired'])

export function isFinal({ status }: Pick<Task, 'status'>): boolean {
  return FINAL.has(status)
}

/** An id of the upstream's that is shorter may stand in a sentence by chance. */
const SHORTEST_ID = 8

/** Words of the upstream's for callers: the task has our id in them. */
export function ownWords(task: Pick<Task, 'id' | 'data'>, words: string): string {
  const upstream = keptOf(task).ref?.id ?? ''
  return upstream.length >= SHORTEST_ID ? words.replaceAll(upstream, task.id) : words
}

/** A failure of the upstream's for callers. */
export function ownError(task: Pick<Task, 'id' | 'data'>, error: unknown): unknown {
  return HeadgateError.is(error) ? reworded(error, ownWords(task, error.message)) : error
}

/** Only this program writes it: what is there is what was kept. */
export function keptOf({ data }: Pick<Task, 'data'>): Kept {
  return data as unknown as Kept
}

/** As a store takes it. */
export function dataOf(kept: Kept): Json {
  return kept as unknown as Json
}
