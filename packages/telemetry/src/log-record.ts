import type { Attribute } from './span.ts'

/** Numbers of severities. */
export const SEVERITIES = { info: 9, warn: 13, error: 17 } as const

/** Log record of an event. */
export interface LogRecord {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly severity: keyof typeof SEVERITIES
  /** Name of the event, such as `headgate.audit`. */
  readonly eventName: string
  readonly body?: string | undefined
  readonly attributes: readonly Attribute[]
  /** Span that it belongs to; absent = none. */
  readonly span?: { readonly traceId: string; readonly spanId: string; readonly isSampled: boolean } | undefined
}

/** Log records with what sent them. */
export interface LogBatch {
  readonly resource: readonly Attribute[]
  /** Version of this program. */
  readonly version: string
  readonly schemaUrl: string
  /** Time of the export, Unix time in milliseconds. */
  readonly observedAt: number
  readonly records: readonly LogRecord[]
}
