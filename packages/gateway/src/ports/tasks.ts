import type { Json } from '@headgate/core/canonical'
import type { TaskStatus } from '@headgate/core/contract'

/** A request whose answer takes longer than a connection lasts. */
export interface Task {
  /** Ours: the upstream's never shows. */
  readonly id: string
  /** Id of the family. */
  readonly family: string
  /** Id of the key that made it: nobody else sees it. */
  readonly owner: string
  /** As the caller named it. */
  readonly model: string
  /** Name of the instance. */
  readonly provider: string
  readonly providerModel: string
  /** Tier of service; `default`. */
  readonly tier: string
  readonly status: TaskStatus
  /** Unix time in milliseconds, as all times here. */
  readonly createdAt: number
  readonly updatedAt: number
  /** When it is to be looked at next; absent = never. */
  readonly nextAt?: number
  /** Until when it is kept; absent = as long as it is not final. */
  readonly keptUntil?: number
  /** 1 of a new one, and rises by one with every change. */
  readonly version: number
  /** What its family keeps beside. */
  readonly data: Json
}

/** Which tasks of a key. What is absent does not narrow. */
export interface TaskQuery {
  readonly family: string
  readonly owner: string
  /** Made at that time or later, Unix time in milliseconds. */
  readonly since?: number
  readonly status?: TaskStatus
  /** The model as the caller named it, or the provider's own name of it. */
  readonly model?: string
  readonly tier?: string
  readonly ids?: readonly string[]
  readonly offset: number
  readonly limit: number
}

export interface TaskClaim {
  readonly family: string
  readonly now: number
  /** Most tasks. */
  readonly limit: number
  /** For how long nobody else gets them, in milliseconds. */
  readonly holdMs: number
  /** Only this one, whenever its turn is. */
  readonly id?: string
  /** Most tasks of a provider in a second, of all processes: by its name, and of those that have none here. */
  readonly paces: Readonly<Record<string, number>>
  readonly pace: number
}

/** Where tasks outlive the process, for all processes that share it. */
export interface TaskStore {
  /** Resolves when it is kept. `heldUntil`: until then nobody else gets it. */
  add(task: Task, heldUntil: number): Promise<void>
  /**
   * Writes a task over the one of the version before, and lets go of it.
   * @returns false where that is another version by now, or gone: nothing is written.
   */
  change(task: Task): Promise<boolean>
  get(id: string): Promise<Task | undefined>
  /** Newest first, of those made at one time by id. */
  list(query: TaskQuery): Promise<{ readonly tasks: readonly Task[]; readonly total: number }>
  /** Takes tasks whose turn has come and that nobody holds, in the order of their turns. */
  claim(claim: TaskClaim): Promise<readonly Task[]>
  /** Keeps it for whoever has it. */
  hold(id: string, until: number): Promise<void>
  /** @returns false where that is another version by now, or gone: nothing is removed. */
  remove(id: string, version: number): Promise<boolean>
}

/** Signs what must come back unchanged, until a time in seconds since 1970. */
export interface Signer {
  sign(parts: readonly string[], expires: number): string
  /** In constant time. */
  verify(parts: readonly string[], expires: number, signature: string): boolean
}

/** What a gateway needs to serve families of tasks. */
export interface TaskOptions {
  readonly store: TaskStore
  /**
   * Where callers reach the gateway, without a slash at the end: what it links to begins with it. Asked when something
   * is linked to.
   */
  publicUrl(): string
  /** Signs links to results. */
  readonly links: Signer
  /**
   * `own`: all results are fetched through the gateway. Default `auto`: those whose URL is not for callers, or lasts
   * less than a day.
   */
  readonly linking?: 'own' | 'auto'
  /** By what the owner of a task verifies its callbacks: `whsec_` and base64. @see https://www.standardwebhooks.com */
  callbackSecret(owner: string): string
  /**
   * Hosts that callbacks may go to, and results come from, although their addresses are not public. Dangerous; for
   * tests and closed networks.
   */
  readonly allowPrivateCallbacks?: readonly string[]
}
