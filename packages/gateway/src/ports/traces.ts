/** A body as it went over the wire, as far as it is kept. */
export interface TracedBody {
  /** Its text, scrubbed of credentials; empty where it is none. Compressed bodies of callers are none. */
  readonly text: string
  /** How long it was as a whole. */
  readonly bytes: number
  /** Whether the text is its beginning only. */
  readonly isCut: boolean
}

/** A request and what was answered to it. Headers are scrubbed of credentials. */
export interface TracedCall {
  /** Name of the provider or search backend that was asked; absent = the caller asked the gateway. */
  readonly provider?: string
  readonly method: string
  /** Of a caller, path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: TracedBody
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** Absent = nothing was answered. */
  readonly answer?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: TracedBody
  }
  /** Why it broke off. */
  readonly failure?: string
}

/** What went over the wire for one request. */
export interface WireTrace {
  /** The `x-request-id` of the answer. */
  readonly requestId: string
  /** Id of the principal. */
  readonly principal: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** The caller's first, then those of upstreams in the order in which they began. */
  readonly calls: readonly TracedCall[]
}

/**
 * Where it is kept what went over the wire for requests of those whose principal has a `tracedUntil` that is not over.
 */
export interface Traces {
  /** Called once a request, when it is over. What it throws is a warning. */
  keep(trace: WireTrace): void
}
