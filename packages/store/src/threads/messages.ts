/** Call from the main thread to a worker. */
export interface CallMessage {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}

/** Error of a call, as structured cloning can transfer it. */
export interface CallFailure {
  readonly message: string
  /** Kind of a HeadgateError. */
  readonly kind?: string
  /** Optional fields of a HeadgateError. */
  readonly param?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly status?: number | undefined
}

/** Error kind and retry time of a store that does not answer. */
export const AWAY = { kind: 'unavailable', retryAfterMs: 1_000 } as const

export type ReplyMessage =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: CallFailure }
  | { readonly announced: string; readonly value: unknown }

/** Functions that a worker runs for the main thread. Arguments and results must be cloneable. */
export type Calls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>> & {
  /** Finishes calls in progress and closes the store. The last call. */
  close(): Promise<void>
}
