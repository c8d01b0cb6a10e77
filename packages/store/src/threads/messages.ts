/** What passes between the main thread and a worker: calls, their answers, and what the worker tells unasked. */
export interface CallMessage {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}

/** Why a call failed, in what structured cloning can carry. */
export interface Failure {
  readonly message: string
  /** Kind of a HeadgateError. */
  readonly kind?: string
  /** What else one says, where it does. */
  readonly param?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly status?: number | undefined
}

/** Kind of a store that does not answer, and when to try again. */
export const AWAY = { kind: 'unavailable', retryAfterMs: 1_000 } as const

export type AnswerMessage =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly told: string; readonly value: unknown }

/** Functions that a worker runs for the main thread. Arguments and results are data. */
export type Calls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>> & {
  /** Finishes what is underway and lets go of the store. The last call. */
  close(): Promise<void>
}
