import type { RemoteTarget } from '../../checks/check.ts'
import type { SpeechFacts } from './facts.ts'

export interface SpeechTarget extends RemoteTarget {
  readonly speech: SpeechFacts
}
