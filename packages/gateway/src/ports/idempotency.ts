import type { Sealer } from './responses.ts'

/** Execution of a request with an idempotency key. */
export interface IdempotentExecution {
  /** Digest of the principal's id and the idempotency key. */
  readonly id: string
  /** Id of this execution: the `x-request-id` of the request that is executed. */
  readonly run: string
  /** Sealed digest of the request: its method, path, query and body. */
  readonly request: string
}

/** Execution that has begun earlier. */
export interface ExecutionRecord {
  /** See {@link IdempotentExecution}. */
  readonly request: string
  /** Sealed outcome; absent while the request runs, null if it was removed because the store was full. */
  readonly outcome?: string | null | undefined
}

/** Persistent store of executions and their outcomes, shared by all processes. Times are measured by its clock. */
export interface IdempotencyStore {
  /**
   * Begins an execution, unless its id has a record that has not expired. If several processes begin at the same time,
   * one succeeds. The record of a running execution expires after `runMs`, when the request must have ended.
   * @returns the earlier record; undefined = the execution has begun
   */
  begin(execution: IdempotentExecution, runMs: number): Promise<ExecutionRecord | undefined>
  /** Record of an id. Undefined if it does not exist or has expired. */
  find(id: string): Promise<ExecutionRecord | undefined>
  /** Stores the outcome of an execution for `keepMs`. No effect if the id belongs to another execution by now. */
  finish(execution: Pick<IdempotentExecution, 'id' | 'run'>, outcome: string, keepMs: number): Promise<void>
  /** Removes the record of a running execution, so that its request can be executed again. */
  drop(execution: Pick<IdempotentExecution, 'id' | 'run'>): Promise<void>
}

/** Handling of requests with the header `idempotency-key`. */
export interface IdempotencyOptions {
  /** Default: memory of this process. */
  readonly store?: IdempotencyStore | undefined
  /** Default: outcomes are stored unencrypted. */
  readonly sealer?: Sealer | undefined
  /** Time for which a response is repeated, in milliseconds; default 86,400,000. */
  readonly keepMs?: number | undefined
  /** Maximum bytes of a stored response; default 8,388,608. Larger responses are sent once and not repeated. */
  readonly responseBytes?: number | undefined
}
