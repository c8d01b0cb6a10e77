import type { FormatId } from '../../../core/test/recordings/recordings.ts'
import type { UsageRow } from '../../src/index.ts'

/** What the upstream answers, in the chunks that it sends. */
export interface Served {
  readonly status: number
  readonly contentType: string
  readonly chunks: readonly Uint8Array[]
}

/** A request through the gateway. */
export interface Run {
  /** Format of the caller. */
  readonly from: FormatId
  /** Format of the provider. */
  readonly to: FormatId
  readonly model: string
  readonly stream: boolean
  readonly body: string
  readonly served: Served
  readonly headers?: Readonly<Record<string, string>>
}

/** What came of it. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** Absent when the request never reached the provider. */
  readonly row: Pick<UsageRow, 'losses'> | undefined
  /** The body that the provider was sent last. */
  readonly sent: string | undefined
}
