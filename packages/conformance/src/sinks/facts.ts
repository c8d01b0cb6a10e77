import type { SinkInstance } from '@headgate/core/sink'
import type { Described } from '../facts.ts'
import type { Received, UpstreamReply } from '../upstream.ts'

/** Adapter of a sink whose config has a type. */
export interface TestedSink<Config> extends Described {
  (config: Config): SinkInstance
}

/** Rows of a request, as the destination reads it. */
export interface ReceivedRows {
  /** Value by which the destination recognizes a repeated batch. */
  readonly id: string
  readonly rows: readonly unknown[]
}

/** Facts of a sink and its destination. */
export interface SinkFacts<Config> {
  /** Complete config. The kit replaces the host of its `baseUrl` by its own server. */
  readonly config: Config
  /** Secret strings of the config. They are in no URL and no error. */
  readonly secrets: readonly string[]
  /**
   * Reads a request as the destination does: checks its credential, and throws if the destination would reject it.
   * Undefined for a request without rows, such as one of `setup`.
   */
  read(request: Received): ReceivedRows | undefined
  /** Response that confirms rows. Default: status 200 with an empty body. */
  readonly accept?: UpstreamReply | undefined
  /** Responses of the destination that do not confirm rows, besides the common ones. */
  readonly failures?: readonly SinkFailure[] | undefined
}

/** Response that does not confirm rows. */
export interface SinkFailure {
  readonly name: string
  readonly reply: UpstreamReply
  /** True if the destination will never accept the batch. Default: false. */
  readonly isFinal?: boolean | undefined
}
