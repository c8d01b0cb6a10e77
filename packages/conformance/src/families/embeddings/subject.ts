import type { RemoteSubject, Subject } from '../../checks/check.ts'
import type { EmbeddingsFacts, RemoteEmbeddingsFacts } from './facts.ts'

/** Target with in-process embeddings. */
export interface OwnEmbeddingsSubject extends Subject {
  readonly embeddings: EmbeddingsFacts
}

/** Target whose embeddings have an upstream. */
export interface EmbeddingsSubject extends RemoteSubject {
  readonly embeddings: RemoteEmbeddingsFacts
}
