import type { StoreLocation } from '../database/location.ts'
import type { Retention } from '../retention/retention.ts'

/** Start parameters of the reader thread. */
export interface StoreReaderData {
  readonly place: StoreLocation
}

/** Start parameters of the writer thread. */
export interface StoreWriterData extends StoreReaderData {
  readonly dataDir: string
  /** Process run of this process. */
  readonly run: string
  readonly zone: string
  readonly retention: Retention
}
