import type { ErrorKind } from '@headgate/gateway'
import type { UpstreamReply } from '../upstream.ts'

/**
 * Failure of an upstream before its response begins, and the error that Headgate reports. Written from the vendors'
 * documentation.
 */
export interface Failure {
  readonly name: string
  readonly reply: UpstreamReply
  /** `FAILURES` in core defines what follows from the kind. */
  readonly kind: ErrorKind
  /** Wait that the upstream requests, in seconds; more than the gateway's patience in this kit. */
  readonly retryAfter?: number
  /** A reused connection counts as stale and can be replaced once, immediately. */
  readonly mayReconnect?: boolean
}

/** Error bodies and frames of a vendor. */
export interface VendorFailures {
  readonly answers: readonly Failure[]
  /** Error body that contains the message. */
  body(status: number, message: string): object
  /** Frame of an error within a stream. */
  frame(message: string): string
}
