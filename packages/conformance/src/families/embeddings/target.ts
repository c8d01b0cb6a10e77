import type { CheckTarget, RemoteTarget } from '../../checks/check.ts'
import type { EmbeddingsFacts, RemoteEmbeddingsFacts } from './facts.ts'

/** Target with in-process embeddings. */
export interface InProcessEmbeddingsTarget extends CheckTarget {
  readonly embeddings: EmbeddingsFacts
}

/** Target whose embeddings have an upstream. */
export interface EmbeddingsTarget extends RemoteTarget {
  readonly embeddings: RemoteEmbeddingsFacts
}
