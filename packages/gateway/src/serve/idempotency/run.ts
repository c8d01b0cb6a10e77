/** Handling of one request with an idempotency key. */
export interface IdempotentRun {
  /** True if the response is the repetition of an earlier one. */
  readonly isReplay: boolean
  /**
   * Called after the response. Resolves when the outcome is stored, or when it could not be stored in time; undefined =
   * nothing to store. Never rejects.
   */
  end(): Promise<void> | undefined
}

/** Repetition of a stored response. */
export const REPLAY: IdempotentRun = { isReplay: true, end: () => undefined }
