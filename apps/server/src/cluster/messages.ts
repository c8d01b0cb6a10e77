import type { RoutingRecords } from '@headgate/fleet'
import type { RateRefusal } from '@headgate/gateway'
import type { CountedRequest, RateExchange, RateExchangeReply, RateState } from '@headgate/gateway/ports'
import type { Settings } from '../config/settings.ts'
import type { Snapshot } from '../service/snapshot.ts'

/** Message from the primary process to a worker. */
export type WorkerOrder =
  | { readonly kind: 'begin'; readonly settings: Settings; readonly port: number }
  /** Creates the first key if there are no keys. */
  | { readonly kind: 'first-key'; readonly print: boolean }
  | { readonly kind: 'prepare'; readonly settings: Settings }
  | { readonly kind: 'take-over' }
  | { readonly kind: 'discard' }
  /** Stops in order, after `drainMs` milliseconds in which connections are still accepted. */
  | { readonly kind: 'stop'; readonly drainMs: number }
  | { readonly kind: 'stop-now'; readonly code: number }
  | { readonly kind: 'report'; readonly id: number; readonly about: About }
  | { readonly kind: 'gathered'; readonly id: number; readonly reports: readonly Report[] }
  | { readonly kind: 'rated'; readonly replies: readonly RateReply[] }
  /** Knowledge of another process about upstreams. */
  | { readonly kind: 'routing'; readonly records: RoutingRecords }
  /** Another process has changed the store. */
  | { readonly kind: 'wake' }
  /** Conditions that an operator should know although the program serves. */
  | { readonly kind: 'notes'; readonly notes: readonly string[] }
  /** Exchange of shared rate limits in the store of the worker. */
  | { readonly kind: 'exchange'; readonly id: number; readonly exchange: RateExchange }

/** Message from a worker to the primary process. */
export type WorkerNews =
  | { readonly kind: 'listening'; readonly url: string; readonly port: number; readonly banner: string }
  /** The worker cannot start because of a user error. */
  | { readonly kind: 'refused'; readonly message: string; readonly param?: string | undefined }
  | { readonly kind: 'first-key'; readonly text?: string | undefined }
  /** `problem`: reason why the worker cannot use these settings. */
  | { readonly kind: 'prepared'; readonly problem?: string }
  | { readonly kind: 'report'; readonly id: number; readonly report: Report }
  /** Requests the reports of all workers. */
  | { readonly kind: 'gather'; readonly id: number; readonly about: About }
  | { readonly kind: 'rates'; readonly questions: readonly RateQuestion[]; readonly leaves: readonly RateLeave[] }
  | { readonly kind: 'routing'; readonly records: RoutingRecords }
  /** The worker has changed the store. */
  | { readonly kind: 'changed' }
  /** `reply`: absent if the store did not answer. */
  | { readonly kind: 'exchanged'; readonly id: number; readonly reply?: RateExchangeReply | undefined }

/** Request for a place within rate limits. The id is unique per worker. */
export interface RateQuestion extends CountedRequest {
  readonly id: number
}

/** Return of a place. */
export interface RateLeave {
  readonly id: number
  /** Undefined if the number of tokens is unknown. */
  readonly tokens: number | undefined
}

/** Refusal, or the remaining limits. */
export interface RateReply {
  readonly id: number
  readonly refusal?: RateRefusal
  readonly states?: readonly RateState[]
}

export type About = 'readiness' | 'metrics' | 'health'

/** Reasons for not being ready, metrics, or health of providers as JSON. */
export type Report = readonly string[] | Snapshot

/** Exit code of a worker that ended in order but lost usage rows. */
export const LOST = 3
