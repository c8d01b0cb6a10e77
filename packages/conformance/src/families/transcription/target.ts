import type { RemoteTarget } from '../../checks/check.ts'
import type { TranscriptionFacts } from './facts.ts'

export interface TranscriptionTarget extends RemoteTarget {
  readonly transcription: TranscriptionFacts
}
