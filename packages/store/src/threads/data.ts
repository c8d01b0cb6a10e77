import type { StoreLocation } from '../database/location.ts'
import type { RowReceiverPlace } from '../receivers/row-receiver.ts'
import type { RetentionSettings } from '../retention/retention.ts'
import type { SinkPlace } from '../sinks/sinks.ts'

/** Start parameters of the reader thread. */
export interface StoreReaderData {
  readonly place: StoreLocation
}

/** Start parameters of the writer thread. */
export interface StoreWriterData extends StoreReaderData {
  readonly dataDir: string
  /** First process run of this process. */
  readonly run: string
  /** True to store the begin records of requests in progress. */
  readonly storesBegins: boolean
  readonly zone: string
  readonly retention: RetentionSettings
  readonly receivers: readonly RowReceiverPlace[]
  readonly sinks: readonly SinkPlace[]
}
