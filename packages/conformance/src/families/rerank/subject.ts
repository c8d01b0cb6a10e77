import type { RemoteSubject } from '../../checks/check.ts'
import type { RerankFacts } from './facts.ts'

export interface RerankSubject extends RemoteSubject {
  readonly rerank: RerankFacts
}
