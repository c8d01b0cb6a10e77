import type { Usage } from '../canonical/usage.ts'
import type { Exchange, InProcess } from './exchange.ts'

/** How callers ask: OpenAI's `/embeddings`, the two methods of the Gemini API, and the one of Vertex AI. */
export type EmbeddingsWire = 'embeddings' | 'embed-content' | 'batch-embed-contents' | 'predict'

/** What vectors are made for: vendors with models for several uses want to know. */
export type EmbeddingUse = 'query' | 'document' | 'similarity' | 'classification' | 'clustering'

/** What a provider calls the uses that it knows. */
export type InputTypes = Readonly<Partial<Record<EmbeddingUse, string>>>

export interface EmbeddingsRequest {
  readonly model: string
  /** Texts, or lists of tokens where the provider takes them. At least one, at most `batch`. */
  readonly inputs: readonly (string | readonly number[])[]
  /** Length of the vectors; absent = the model's own. */
  readonly dimensions?: number
  readonly use?: EmbeddingUse
  /** How the caller wants them; a provider that can answer so saves a conversion. */
  readonly encoding: 'float' | 'base64'
}

/** A vector as numbers, or as base64 of 32-bit floats, little endian. */
export type Vector = readonly number[] | string

export interface EmbeddingsResponse {
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[]
  /** The model as the upstream names it. */
  readonly model?: string
  /** Where the upstream counts. */
  readonly usage?: Usage
}

export type EmbeddingsSupport = (
  | Exchange<EmbeddingsRequest, EmbeddingsResponse>
  | InProcess<EmbeddingsRequest, Promise<EmbeddingsResponse>>
) & {
  /** Most inputs of one call, or by model; default no limit. */
  readonly batch?: number | ((model: string) => number)
  /** Whether lists of tokens are taken; default not. */
  readonly tokens?: boolean
  /** Wires of callers that the provider speaks itself, and where: bodies and answers pass as they are. */
  readonly native?: Readonly<Partial<Record<EmbeddingsWire, (model: string) => string>>>
  /** Headers with fixed values of what passes. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The provider's words for uses, in `input_type` of OpenAI's wire; default none. What it has no word for is left out,
   * and declared.
   */
  readonly inputTypes?: InputTypes
}
