import type { Json } from '@headgate/core/canonical'
import type { TaskStatus } from '@headgate/core/contract'

/** Long-running task, whose result is available after its request has ended. */
export interface Task {
  /** The gateway's id. The upstream's id is never shown. */
  readonly id: string
  /** Id of the family. */
  readonly family: string
  /** Id of the key that created the task. Other keys do not see it. */
  readonly owner: string
  /** The caller's name of the model. */
  readonly model: string
  /** Name of the provider instance. */
  readonly provider: string
  readonly providerModel: string
  /** Service tier; `default`. */
  readonly tier: string
  readonly status: TaskStatus
  /** Unix time in milliseconds, like all times here. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Time of the next poll; absent = never. */
  readonly nextAt?: number
  /** Time of deletion; absent while the task is not final. */
  readonly keptUntil?: number
  /** 1 for a new task; increases by one with every change. */
  readonly version: number
  /** Data of the family. */
  readonly data: Json
}

/** Filter for the tasks of a key. An absent field does not filter. */
export interface TaskQuery {
  readonly family: string
  readonly owner: string
  /** Earliest creation time, Unix time in milliseconds. */
  readonly since?: number
  readonly status?: TaskStatus
  /** The caller's name of the model, or the provider's. */
  readonly model?: string
  readonly tier?: string
  readonly ids?: readonly string[]
  readonly offset: number
  readonly limit: number
}

export interface TaskClaim {
  readonly family: string
  readonly now: number
  /** Maximum number of tasks. */
  readonly limit: number
  /** Time for which no other process can claim them, in milliseconds. */
  readonly holdMs: number
  /** Claims only this task, independent of its `nextAt`. */
  readonly id?: string
  /** Maximum tasks of a provider per second, over all processes, by the provider's name. */
  readonly paces: Readonly<Record<string, number>>
  /** Maximum tasks per second of each provider that is not in `paces`. */
  readonly pace: number
}

/** Persistent store of tasks, shared by all processes. */
export interface TaskStore {
  /** Stores a task. Resolves when it is stored. Until `heldUntil`, no other process can claim it. */
  add(task: Task, heldUntil: number): Promise<void>
  /**
   * Replaces the previous version of a task and releases the claim.
   * @returns false if the stored version is another one or the task is gone; nothing is written then.
   */
  change(task: Task): Promise<boolean>
  get(id: string): Promise<Task | undefined>
  /** Newest first; tasks of the same time by id. */
  list(query: TaskQuery): Promise<{ readonly tasks: readonly Task[]; readonly total: number }>
  /** Claims unclaimed tasks whose `nextAt` has passed, in order of `nextAt`. */
  claim(claim: TaskClaim): Promise<readonly Task[]>
  /** Extends a claim. */
  hold(id: string, until: number): Promise<void>
  /** @returns false if the stored version is another one or the task is gone; nothing is removed then. */
  remove(id: string, version: number): Promise<boolean>
}

/** Signatures with an expiry in Unix seconds. */
export interface Signer {
  sign(parts: readonly string[], expires: number): string
  /** Compares in constant time. */
  verify(parts: readonly string[], expires: number, signature: string): boolean
}

/** Options of task families. */
export interface TaskOptions {
  readonly store: TaskStore
  /** Public base URL of the gateway, without a slash at the end. Links begin with it. Called for each link. */
  publicUrl(): string
  /** Signer of links to results. */
  readonly links: Signer
  /**
   * `own`: all results are fetched through the gateway. `auto` (default): only results with a URL that callers cannot
   * use, or that expires within a day.
   */
  readonly linking?: 'own' | 'auto'
  /**
   * Secret with which the owner of a task verifies callbacks: `whsec_` and base64.
   * @see https://www.standardwebhooks.com
   */
  callbackSecret(owner: string): string
  /**
   * Hosts that are allowed for callbacks and results although their addresses are not public. Dangerous; for tests and
   * isolated networks only.
   */
  readonly allowPrivateCallbacks?: readonly string[]
}
