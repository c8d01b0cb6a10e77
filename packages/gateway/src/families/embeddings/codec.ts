import type { Json, Loss, Usage } from '@headgate/core/canonical'
import type { EmbeddingsWire, EmbeddingUse, Vector } from '@headgate/core/contract'

/** Embeddings request, read from any wire. */
export interface EmbeddingsInput {
  readonly inputs: readonly (string | readonly number[])[]
  readonly dimensions?: number
  readonly use?: EmbeddingUse
  readonly encoding: 'float' | 'base64'
  /** Fields of the body that no provider supports. They are lost when the request is translated. */
  readonly losses: readonly Loss[]
}

/** Content of an embeddings response. */
export interface EmbeddingsOutput {
  readonly vectors: readonly Vector[]
  readonly model: string
  readonly usage?: Usage | undefined
}

/** Caller-side wire of embeddings: reads requests and writes responses. */
export interface EmbeddingsCodec {
  readonly id: EmbeddingsWire
  /** @throws HeadgateError that names the invalid field. */
  read(body: Json): EmbeddingsInput
  write(answer: EmbeddingsOutput, asked: EmbeddingsInput): Json
  /** Accounting facts of a bypassed response; undefined = the body is not a valid response. */
  summarize(
    body: Json,
  ): { readonly usage?: Usage; readonly model?: string; readonly vectors: readonly unknown[] } | undefined
  /** Number of inputs in a body, even if the body is otherwise invalid. */
  count(body: Json): number
  /** Paths of the body that name the model, for providers that have another name for it. */
  modelPaths(body: Json): readonly (readonly (string | number)[])[]
  /** The model's name in this wire. */
  modelName(model: string): string
  /** Headgate's extra field for the purpose of the vectors, and its reader; absent if the wire has its own field. */
  readonly uses?: { readonly field: string; read(value: unknown): EmbeddingUse | undefined }
}
