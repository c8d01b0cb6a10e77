/** Recorded body of a traced call. */
export interface TracedBody {
  /** Text without credentials. Empty for binary bodies and compressed bodies of callers. */
  readonly text: string
  /** Full length of the body. */
  readonly bytes: number
  /** True if `text` is only the beginning of the body. */
  readonly isCut: boolean
}

/** A request and its response. Headers have no credentials. */
export interface TracedCall {
  /** Name of the provider or search backend; absent for the caller's request to the gateway. */
  readonly provider?: string
  readonly method: string
  /** URL of the request; path and query for the caller's request. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: TracedBody
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** Absent if there was no response. */
  readonly answer?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: TracedBody
  }
  /** Reason for an early end. */
  readonly failure?: string
}

/** Recorded HTTP traffic of one request. */
export interface WireTrace {
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Id of the principal. */
  readonly principal: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** The caller's request, then upstream calls in order of their start. */
  readonly calls: readonly TracedCall[]
}

/** Receiver of wire traces of principals whose `tracedUntil` has not passed. */
export interface TraceSink {
  /** Called once per request, at its end. Errors are warnings. */
  keep(trace: WireTrace): void
}
