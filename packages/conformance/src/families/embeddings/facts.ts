import type { EmbeddingUse, InputTypes, Json } from '@headgate/core/provider'
import type { Received } from '../../upstream.ts'

interface EmbeddingsPlace {
  /** Embedding model. */
  readonly model: string
  /** Maximum number of inputs in one request; the vendor rejects more with a 400. Absent if no limit is known. */
  readonly batch?: number
  /** The vendor accepts token lists. Default: false. */
  readonly tokens?: boolean
}

/** Facts of a provider that runs in-process. */
interface OwnFacts extends EmbeddingsPlace {
  readonly path?: undefined
}

/** Path of requests, without the host; `{model}` is a placeholder for the model. */
interface RemotePlace extends EmbeddingsPlace {
  readonly path: string | readonly string[]
}

/** Upstream with the wire format of OpenAI or of the Gemini API. */
export interface EmbeddingsFormatFacts extends RemotePlace {
  readonly format: 'embeddings' | 'batch-embed-contents'
  /** The vendor's values for uses, in `input_type` of `embeddings`. Absent if the vendor does not know the field. */
  readonly inputTypes?: InputTypes
}

/**
 * Upstream with another wire format. `read` and `write` simulate the vendor: write them from its documentation, not
 * from the adapter.
 */
export interface EmbeddingsWireFacts extends RemotePlace {
  readonly format?: undefined
  /**
   * The vendor's interpretation of a request.
   *
   * @throws for requests that the vendor would reject
   */
  read(request: Received): EmbeddingsMeaning
  /** The vendor's response to `request`. */
  write(answer: EmbeddingsAnswer, request: Received): Json
  /** Error body for a status. Default: `{ message }`. */
  error?(status: number, message: string): object
}

export type RemoteEmbeddingsFacts = EmbeddingsFormatFacts | EmbeddingsWireFacts
export type EmbeddingsFacts = OwnFacts | RemoteEmbeddingsFacts

/** Meaning of an embeddings request. */
export interface EmbeddingsMeaning {
  readonly inputs: readonly (string | readonly number[])[]
  readonly dimensions?: number | undefined
  readonly use?: EmbeddingUse | undefined
  /** Default: `float`. */
  readonly encoding?: 'float' | 'base64' | undefined
}

export interface EmbeddingsAnswer {
  /** Vectors in the order of the inputs. */
  readonly vectors: readonly (readonly number[])[]
  /** Tokens of all inputs. */
  readonly tokens: number
  readonly encoding: 'float' | 'base64'
}
