import type { EmbeddingUse, InputTypes, Json } from '@headgate/core/provider'
import type { Received } from '../../upstream.ts'

interface EmbeddingsPlace {
  /** A model that makes vectors. */
  readonly model: string
  /** Most inputs of one request: more are answered with a 400. Absent = no limit is known. */
  readonly batch?: number
  /** Whether lists of tokens are taken; default not. */
  readonly tokens?: boolean
}

/** For a provider that runs in this process. */
interface OwnFacts extends EmbeddingsPlace {
  readonly path?: undefined
}

/** Where it takes requests, without the host; `{model}` stands for the model. */
interface RemotePlace extends EmbeddingsPlace {
  readonly path: string | readonly string[]
}

/** An upstream with the wire of OpenAI, or of the Gemini API. */
export interface EmbeddingsFormatFacts extends RemotePlace {
  readonly format: 'embeddings' | 'batch-embed-contents'
  /** Its words for uses, in `input_type` of `embeddings`; absent = it does not know the field. */
  readonly inputTypes?: InputTypes
}

/**
 * An upstream with a wire of its own. `read` and `write` are the vendor: written from its documentation, not from the
 * adapter.
 */
export interface EmbeddingsWireFacts extends RemotePlace {
  readonly format?: undefined
  /** What the vendor understands of a request; throws what it would refuse. */
  read(request: Received): AskedVectors
  /** The vendor's answer, with `request` what it answers. */
  write(answer: MadeVectors, request: Received): Json
  /** The body of an error with a status. Default: `{ message }`. */
  error?(status: number, message: string): object
}

export type RemoteEmbeddingsFacts = EmbeddingsFormatFacts | EmbeddingsWireFacts
export type EmbeddingsFacts = OwnFacts | RemoteEmbeddingsFacts

/** What vectors are asked for. */
export interface AskedVectors {
  readonly inputs: readonly (string | readonly number[])[]
  readonly dimensions?: number | undefined
  readonly use?: EmbeddingUse | undefined
  /** Default `float`. */
  readonly encoding?: 'float' | 'base64' | undefined
}

export interface MadeVectors {
  /** In the order of the inputs. */
  readonly vectors: readonly (readonly number[])[]
  /** Tokens of all inputs. */
  readonly tokens: number
  readonly encoding: 'float' | 'base64'
}
