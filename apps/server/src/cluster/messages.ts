import type { RateRefusal } from '@headgate/gateway'
import type { CountedAsk, RateState } from '@headgate/gateway/ports'
import type { Settings } from '../config/settings.ts'
import type { Snapshot } from '../service/metrics.ts'

/** What the primary process tells a worker. */
export type Order =
  | { readonly kind: 'begin'; readonly settings: Settings; readonly port: number }
  /** Make the first key where there is none. */
  | { readonly kind: 'first-key'; readonly print: boolean }
  | { readonly kind: 'prepare'; readonly settings: Settings }
  | { readonly kind: 'take-over' }
  | { readonly kind: 'discard' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'stop-now'; readonly code: number }
  | { readonly kind: 'report'; readonly id: number; readonly about: About }
  | { readonly kind: 'gathered'; readonly id: number; readonly reports: readonly Report[] }
  | { readonly kind: 'rated'; readonly replies: readonly RateReply[] }

/** What a worker tells the primary process. */
export type News =
  | { readonly kind: 'listening'; readonly url: string; readonly port: number; readonly banner: string }
  /** It can not start, as the user has to know. */
  | { readonly kind: 'refused'; readonly message: string; readonly param?: string | undefined }
  | { readonly kind: 'first-key'; readonly text?: string | undefined }
  /** `problem`: it can not serve by these settings. */
  | { readonly kind: 'prepared'; readonly problem?: string }
  | { readonly kind: 'report'; readonly id: number; readonly report: Report }
  /** Asks for the reports of all. */
  | { readonly kind: 'gather'; readonly id: number; readonly about: About }
  | { readonly kind: 'rates'; readonly questions: readonly RateQuestion[]; readonly leaves: readonly RateLeave[] }

/** Asks for a place within rate limits. Its number is the worker's own. */
export interface RateQuestion extends CountedAsk {
  readonly id: number
}

/** Gives a place back. */
export interface RateLeave {
  readonly id: number
  /** Undefined: nobody knows how many it was. */
  readonly tokens: number | undefined
}

/** Either why there is no place, or what is left. */
export interface RateReply {
  readonly id: number
  readonly refusal?: RateRefusal
  readonly states?: readonly RateState[]
}

export type About = 'readiness' | 'metrics' | 'health'

/** Why a worker is not ready, or its metrics, or how providers are in JSON. */
export type Report = readonly string[] | Snapshot

/** With what a worker ends when all went well but that usage rows are lost. */
export const LOST = 3
