import type { Place } from '../database/place.ts'
import type { Retention } from '../retention/retention.ts'

/** What the reader is told at its beginning. */
export interface ReaderData {
  readonly place: Place
}

/** What the writer is told at its beginning. */
export interface WriterData extends ReaderData {
  readonly dataDir: string
  /** Of this process. */
  readonly life: string
  readonly zone: string
  readonly retention: Retention
}
