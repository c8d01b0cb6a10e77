import type { RemoteTarget } from '../../checks/check.ts'
import type { ModerationsFacts } from './facts.ts'

export interface ModerationsTarget extends RemoteTarget {
  readonly moderations: ModerationsFacts
}
