import type { Usage } from '../canonical/usage.ts'
import type { Exchange, InProcess } from './exchange.ts'

/** Embeddings endpoint of a caller: OpenAI's `/embeddings`, two methods of the Gemini API, one of Vertex AI. */
export type EmbeddingsWire = 'embeddings' | 'embed-content' | 'batch-embed-contents' | 'predict'

/** Purpose of vectors. Some vendors have different models or parameters for each. */
export type EmbeddingUse = 'query' | 'document' | 'similarity' | 'classification' | 'clustering'

/** A provider's names for purposes. */
export type InputTypes = Readonly<Partial<Record<EmbeddingUse, string>>>

/** Request for embeddings. */
export interface EmbeddingsRequest {
  readonly model: string
  /** Strings, or lists of tokens if the provider accepts them: at least one, at most `batch`. */
  readonly inputs: readonly (string | readonly number[])[]
  /** Length of the vectors. Absent: the model's default. */
  readonly dimensions?: number
  readonly use?: EmbeddingUse
  /** Encoding that the caller requests. A provider that responds with it saves a conversion. */
  readonly encoding: 'float' | 'base64'
}

/** Vector as numbers, or as base64 of 32-bit little-endian floats. */
export type Vector = readonly number[] | string

/** Response with embeddings. */
export interface EmbeddingsResponse {
  /** Vectors in the order of the inputs. */
  readonly vectors: readonly Vector[]
  /** The model as the upstream names it. */
  readonly model?: string
  /** Absent if the upstream reports none. */
  readonly usage?: Usage
}

/** Support for embeddings: HTTP exchanges, or a function in this process. */
export type EmbeddingsSupport = (
  | Exchange<EmbeddingsRequest, EmbeddingsResponse>
  | InProcess<EmbeddingsRequest, Promise<EmbeddingsResponse>>
) & {
  /** Maximum inputs of one call, or a function of the model. Default: no limit. */
  readonly batch?: number | ((model: string) => number)
  /** True if inputs can be lists of tokens. Default false. */
  readonly tokens?: boolean
  /** Endpoints with a caller's wire, by wire. Requests and responses of these callers pass unchanged. */
  readonly native?: Readonly<Partial<Record<EmbeddingsWire, (model: string) => string>>>
  /** Headers with fixed values for requests that pass unchanged. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Values of `input_type` by purpose, for OpenAI's wire; default none. A purpose without a value is left out and
   * declared as lost.
   */
  readonly inputTypes?: InputTypes
}
