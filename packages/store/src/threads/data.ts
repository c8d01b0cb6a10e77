import type { Place } from '../database/place.ts'
import type { Retention } from '../retention/retention.ts'

/** Start parameters of the reader thread. */
export interface ReaderData {
  readonly place: Place
}

/** Start parameters of the writer thread. */
export interface WriterData extends ReaderData {
  readonly dataDir: string
  /** Process run of this process. */
  readonly life: string
  readonly zone: string
  readonly retention: Retention
}
