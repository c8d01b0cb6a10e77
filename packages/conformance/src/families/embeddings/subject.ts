import type { RemoteSubject, Subject } from '../../checks/check.ts'
import type { EmbeddingsFacts, RemoteEmbeddingsFacts } from './facts.ts'

/** A provider of vectors in this process. */
export interface OwnEmbeddingsSubject extends Subject {
  readonly embeddings: EmbeddingsFacts
}

/** One with an upstream. */
export interface EmbeddingsSubject extends RemoteSubject {
  readonly embeddings: RemoteEmbeddingsFacts
}
