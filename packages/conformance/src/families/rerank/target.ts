import type { RemoteTarget } from '../../checks/check.ts'
import type { RerankFacts } from './facts.ts'

export interface RerankTarget extends RemoteTarget {
  readonly rerank: RerankFacts
}
