import type { Json, Loss, Usage } from '@headgate/core/canonical'
import type { TaskRef, TaskStatus } from '@headgate/core/contract'
import { HeadgateError, reworded } from '@headgate/core/errors'
import type { AttemptRow } from '../../ports/ledger.ts'
import type { Task } from '../../ports/tasks.ts'

/** Change of state that requires a callback. */
export interface DueCallback {
  readonly status: TaskStatus
  /** Unix time in milliseconds. */
  readonly at: number
}

export interface CallbackState {
  readonly url: string
  /** Oldest first. */
  readonly due: readonly DueCallback[]
  /** Number of failed deliveries of the oldest. */
  readonly tries: number
  /** Time of the next delivery, Unix time in milliseconds. */
  readonly nextAt: number
}

/**
 * Reasons of the gateway: the creation got no response, the provider no longer knows the task, or the task exceeded its
 * time limit.
 */
export type GatewayReason = 'creation-unknown' | 'task-unknown' | 'expired'

/** Reason why a task failed. */
export interface TaskFailure {
  /** A {@link GatewayReason} or a kind of its family. */
  readonly kind: string
  readonly message: string
}

/** Data of a task in addition to its columns. JSON, without anything that the caller wrote to the model. */
export interface TaskState {
  /** Id of the creation: idempotency key for upstreams that support one, and id of the usage row. */
  readonly intent: string
  /** Id of the request that created the task. */
  readonly requestId: string
  /** Tags that the caller sent. */
  readonly tags?: Readonly<Record<string, string>>
  /** End user and session, as the caller claims. */
  readonly endUser?: string | undefined
  readonly session?: string | undefined
  /** Reference of the upstream; absent until its response to the creation is known. */
  readonly ref?: TaskRef
  /** Set if the creation got no response and none is expected. */
  readonly unanswered?: true
  /** Data that identifies the task if the creation got no response. */
  readonly trace?: Json
  /** Unix time in milliseconds. */
  readonly expiresAt: number
  readonly losses: readonly Loss[]
  /** Attempts of the creation. */
  readonly attempts: readonly AttemptRow[]
  /** Fields of the request that responses repeat. */
  readonly asked: Json
  /** Data that the family read from the upstream's newest response. */
  readonly got?: Json
  readonly usage?: Usage
  readonly failure?: TaskFailure
  /** Time of the last poll. */
  readonly lookedAt?: number
  /** Time before which the upstream must not be polled, Unix time in milliseconds. */
  readonly notBefore?: number
  /** Consecutive polls that failed. */
  readonly misses: number
  /** Consecutive polls that did not find the task. */
  readonly missing: number
  readonly callback?: CallbackState
}

const FINAL: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['succeeded', 'failed', 'cancelled', 'expired'])

export function isFinal({ status }: Pick<Task, 'status'>): boolean {
  return FINAL.has(status)
}

/** A shorter id of an upstream may occur in a sentence by chance. */
const MIN_ID_LENGTH = 8

/** Upstream's message for callers, with the gateway's id of the task. */
export function withGatewayId(task: Pick<Task, 'id' | 'data'>, words: string): string {
  const upstream = taskStateOf(task).ref?.id ?? ''
  return upstream.length >= MIN_ID_LENGTH ? words.replaceAll(upstream, task.id) : words
}

/** Upstream's error for callers. */
export function errorWithGatewayId(task: Pick<Task, 'id' | 'data'>, error: unknown): unknown {
  return HeadgateError.is(error) ? reworded(error, withGatewayId(task, error.message)) : error
}

/** Only this program writes the data, so it is not validated. */
export function taskStateOf({ data }: Pick<Task, 'data'>): TaskState {
  return data as unknown as TaskState
}

/** Data of a task in the type that stores accept. */
export function dataOf(kept: TaskState): Json {
  return kept as unknown as Json
}
