import type { ErrorKind } from '@headgate/gateway'
import type { Reply } from '../upstream.ts'

/**
 * A way in which an upstream fails before it answers, and what that is in Headgate's words. Written from the vendors'
 * documentation.
 */
export interface Failure {
  readonly name: string
  readonly reply: Reply
  /** What follows from the kind is in core's `FAILURES`. */
  readonly kind: ErrorKind
  /** Seconds that the upstream asks to wait; longer than the gateway has here. */
  readonly retryAfter?: number
  /** A connection that was used before counts as stale: it may be replaced at once, once. */
  readonly mayReconnect?: boolean
}

/** How a vendor fails. */
export interface VendorFailures {
  readonly answers: readonly Failure[]
  /** The body of an error that repeats a text. */
  body(status: number, message: string): object
  /** The frame of an error within a stream. */
  frame(message: string): string
}
