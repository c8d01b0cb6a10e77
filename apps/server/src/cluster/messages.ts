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

export type About = 'readiness' | 'metrics'

/** Why a worker is not ready, or its metrics. */
export type Report = readonly string[] | Snapshot

/** With what a worker ends when all went well but that usage rows are lost. */
export const LOST = 3
